#include "privacy/dp/rdp.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "privacy/dp/choice.h"
#include "privacy/dp/laplace.h"

namespace sotto::privacy {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// ln(e^a + e^b).
double log_add(double a, double b) {
  if (a == -infinity) return b;
  if (b == -infinity) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// ln(e^a − e^b), a ≥ b.
double log_subtract(double a, double b) {
  if (b == -infinity) return a;
  return a > b ? a + std::log(-std::expm1(b - a)) : -infinity;
}

// ln Φ(x), also where Φ is too small for a double.
double log_normal_cdf(double x) {
  if (x > -36.0) return std::log(0.5 * std::erfc(-x / std::numbers::sqrt2));
  const double u = 1.0 / (x * x);
  const double series = 1.0 - u * (1.0 - u * (3.0 - u * (15.0 - u * 105.0)));
  return -0.5 * x * x - std::log(-x * std::sqrt(2.0 * std::numbers::pi)) + std::log(series);
}

// ln E[(q·e^{(2z−1)/2σ²} + 1 − q)^α] over z ~ N(0, σ²), α whole: the binomial sum.
double log_moment_whole(double q, double sigma, std::uint32_t order) {
  double sum = -infinity;
  const double n = order;
  for (std::uint32_t k = 0; k <= order; ++k) {
    const double i = k;
    const double choose = std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0);
    const double term =
        choose + i * std::log(q) + (n - i) * std::log1p(-q) + (i * i - i) / (2.0 * sigma * sigma);
    sum = log_add(sum, term);
  }
  return sum;
}

// The same for any α: two binomial series, one below and one above the z₀ where both parts are equal.
double log_moment_real(double q, double sigma, double order, FractionalSeries series) {
  constexpr double negligible = -30.0;
  constexpr int most_terms = 100'000;
  const double split = sigma * sigma * std::log(1.0 / q - 1.0) + 0.5;
  double below = -infinity, above = -infinity;
  double log_choose = 0.0;  // of |α over i|
  bool positive = true;
  for (int k = 0; k < most_terms; ++k) {
    const double i = k, j = order - i;
    const double first = log_choose + i * std::log(q) + j * std::log1p(-q) +
                         (i * i - i) / (2.0 * sigma * sigma) + log_normal_cdf((split - i) / sigma);
    const double second = log_choose + j * std::log(q) + i * std::log1p(-q) +
                          (j * j - j) / (2.0 * sigma * sigma) + log_normal_cdf((j - split) / sigma);
    const bool add = positive || series == FractionalSeries::bound;
    below = add ? log_add(below, first) : log_subtract(below, first);
    above = add ? log_add(above, second) : log_subtract(above, second);
    if (std::max(first, second) < negligible) break;
    positive = positive == (j > 0.0);
    log_choose += std::log(std::abs(j)) - std::log(i + 1.0);
  }
  return log_add(below, above);
}

}  // namespace

Result<NoiseKind> parse_noise_kind(const std::string& text) {
  for (const NoiseKind kind : {NoiseKind::gaussian, NoiseKind::laplace, NoiseKind::choice})
    if (text == to_string(kind)) return kind;
  return fail(Code::usage,
              fmt::format("noise is gaussian or laplace, or that of a choice; '{}' is none of them", text));
}

const char* to_string(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::gaussian:
      return "gaussian";
    case NoiseKind::laplace:
      return "laplace";
    case NoiseKind::choice:
      break;
  }
  return "choice";
}

Status check(const NoisyReleases& releases) {
  if (!(releases.noise > 0.0 && std::isfinite(releases.noise)))
    return fail(Code::usage, fmt::format("noise {} is no multiple above 0", releases.noise));
  if (!(releases.sampling > 0.0 && releases.sampling <= 1.0))
    return fail(Code::usage, fmt::format("the sampling rate {} does not lie in (0, 1]", releases.sampling));
  if (releases.kind == NoiseKind::choice && releases.sampling < 1.0)
    return fail(Code::usage, "a choice is made by everybody: it earns nothing for sampling");
  return Done{};
}

double rdp_of(const NoisyReleases& one, double order, FractionalSeries series) {
  SOTTO_ASSERT(order > 1.0, "a Rényi order above 1");
  if (one.kind == NoiseKind::laplace) return laplace_rdp(one.noise, one.sampling, order);
  if (one.kind == NoiseKind::choice) return choice_rdp(1.0 / one.noise, order);
  if (one.sampling >= 1.0) return order / (2.0 * one.noise * one.noise);
  const bool whole = order == std::floor(order);
  const double moment = whole ? log_moment_whole(one.sampling, one.noise, static_cast<std::uint32_t>(order))
                              : log_moment_real(one.sampling, one.noise, order, series);
  return std::max(moment, 0.0) / (order - 1.0);
}

std::span<const double> usual_orders() {
  static constexpr auto orders = [] {
    std::array<double, 99 + 53 + 4> all{};
    std::size_t n = 0;
    for (int tenth = 1; tenth < 100; ++tenth) all[n++] = 1.0 + tenth / 10.0;
    for (int whole = 11; whole < 64; ++whole) all[n++] = whole;
    for (int whole = 128; whole <= 1024; whole *= 2) all[n++] = whole;
    return all;
  }();
  return orders;
}

double epsilon_at(double rdp, double order, double delta) {
  return std::max(rdp + std::log1p(-1.0 / order) - std::log(delta * order) / (order - 1.0), 0.0);
}

RdpLedger::RdpLedger(FractionalSeries series) : series_(series), costs_(usual_orders().size(), 0.0) {}

void RdpLedger::add(const NoisyReleases& releases) {
  SOTTO_ASSERT(check(releases).ok(), "the releases were checked");
  if (releases.kind == NoiseKind::laplace)
    pure_ += releases.times * laplace_pure(releases.noise, releases.sampling);
  else if (releases.kind == NoiseKind::choice)
    pure_ += releases.times / releases.noise;
  else if (releases.times > 0)
    pure_ = infinity;
  for (std::size_t n = 0; n < costs_.size(); ++n)
    costs_[n] += releases.times * rdp_of(releases, usual_orders()[n], series_);
}

void RdpLedger::add_pure(double epsilon, std::uint32_t times) {
  SOTTO_ASSERT(epsilon >= 0.0, "an epsilon");
  pure_ += times * epsilon;
  // ε-DP is ε²/2-zCDP (Bun and Steinke 2016), and its divergence is at most ε.
  for (std::size_t n = 0; n < costs_.size(); ++n)
    costs_[n] += times * std::min(usual_orders()[n] * epsilon * epsilon / 2.0, epsilon);
}

double RdpLedger::epsilon(double delta) const {
  double least = pure_;
  for (std::size_t n = 0; n < costs_.size(); ++n)
    least = std::min(least, epsilon_at(costs_[n], usual_orders()[n], delta));
  return least;
}

}  // namespace sotto::privacy
