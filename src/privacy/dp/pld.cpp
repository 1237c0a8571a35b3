#include "privacy/dp/pld.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "privacy/dp/choice.h"
#include "privacy/dp/fourier.h"
#include "privacy/dp/normal.h"

namespace sotto::privacy {

namespace {

constexpr double cut_tail = 1e-13;       // of each release and of each end of the sum
constexpr double most_points = 1 << 22;  // of a grid

// The chance that a standard normal lies in (a, b], by the side where nothing cancels.
double normal_between(double a, double b) {
  return a > 0.0 ? normal_below(-a) - normal_below(-b) : normal_below(b) - normal_below(a);
}

// The same of a Laplace law of scale 1.
double laplace_between(double a, double b) {
  if (!(a < b)) return 0.0;
  if (a >= 0.0) return 0.5 * std::exp(-a) * -std::expm1(a - b);
  if (b <= 0.0) return 0.5 * std::exp(b) * -std::expm1(a - b);
  return 0.5 * (-std::expm1(a) - std::expm1(-b));
}

// Somebody removed: P = (1 − q)·N(0) + q·N(1) against Q = N(0), N the law of the noise around its mean; the
// loss rises with x (Laplace: between 0 and 1). Somebody added: P and Q change places, and so does the loss'
// sign. A choice: the Laplace laws between 0 and 1 alone (privacy/dp/choice.h), never sampled.
struct Loss {
  NoiseKind kind;
  double q, sigma;
  bool removed;

  // ln N(1)/N(0) at x.
  [[nodiscard]] double tilt_at(double x) const {
    if (kind == NoiseKind::gaussian) return (2.0 * x - 1.0) / (2.0 * sigma * sigma);
    return std::clamp(2.0 * x - 1.0, -1.0, 1.0) / sigma;
  }
  [[nodiscard]] double with_tilt(double tilt) const {
    if (kind == NoiseKind::gaussian) return sigma * sigma * tilt + 0.5;
    if (std::abs(tilt) < 1.0 / sigma) return 0.5 * (sigma * tilt + 1.0);
    return std::copysign(std::numeric_limits<double>::infinity(), tilt);
  }
  [[nodiscard]] double at(double x) const {
    const double tilt = tilt_at(x);
    if (q >= 1.0) return removed ? tilt : -tilt;
    const double loss =
        tilt > 0.0 ? tilt + std::log(q + (1.0 - q) * std::exp(-tilt)) : std::log1p(q * std::expm1(tilt));
    return removed ? loss : -loss;
  }
  // The x with that loss of the removed direction; −∞ below its least loss.
  [[nodiscard]] double place(double loss) const {
    if (q >= 1.0) return with_tilt(loss);
    const double least = std::log1p(-q);
    if (loss <= least) return -std::numeric_limits<double>::infinity();
    // ln((e^loss − (1 − q))/q)
    const double tilt = loss > 1.0 ? loss + std::log1p(-std::exp(least - loss)) - std::log(q)
                                   : std::log(std::expm1(loss) + q) - std::log(q);
    return with_tilt(tilt);
  }
  [[nodiscard]] double between(double a, double b) const {
    return kind == NoiseKind::laplace ? laplace_between(a / sigma, b / sigma)
                                      : normal_between(a / sigma, b / sigma);
  }
  [[nodiscard]] double mixed(double a, double b) const {
    if (kind == NoiseKind::choice) return choice_between(1.0 / sigma, 1.0 - b, 1.0 - a);
    return (q < 1.0 ? (1.0 - q) * between(a, b) : 0.0) + q * between(a - 1.0, b - 1.0);
  }
  [[nodiscard]] double plain(double a, double b) const {
    return kind == NoiseKind::choice ? choice_between(1.0 / sigma, a, b) : between(a, b);
  }
};

// One release on the grid: masses at (first + n)·step.
struct Gridded {
  long long first = 0;
  std::vector<double> masses;
  double infinite = 0.0;
};

struct Ends {
  double low, high;  // of x: beyond them lies less than cut_tail
};
Ends ends_of(const Loss& loss) {
  if (loss.kind == NoiseKind::choice) return {0.0, 1.0};
  // Laplace: the loss is the same from 1 on, and below 0.
  const double reach =
      loss.kind == NoiseKind::laplace ? std::numeric_limits<double>::infinity() : 7.5 * loss.sigma;
  return {-reach, 1.0 + reach};
}

Gridded put_on_grid(const Loss& loss, double step) {
  const Ends x = ends_of(loss);
  const double a = loss.at(x.low), b = loss.at(x.high);
  Gridded out;
  out.first = static_cast<long long>(std::floor(std::min(a, b) / step));
  const auto last = std::max(static_cast<long long>(std::ceil(std::max(a, b) / step)), out.first + 1);
  out.masses.assign(static_cast<std::size_t>(last - out.first) + 1, 0.0);
  // The outermost cells reach to the ends, where the least and the largest loss may have a chance of their
  // own.
  const auto place = [&](long long k) {
    if (k == out.first || k == last) return (k == last) == loss.removed ? x.high : x.low;
    const double value = step * static_cast<double>(k);
    return std::clamp(loss.place(loss.removed ? value : -value), x.low, x.high);
  };
  for (long long k = out.first; k < last; ++k) {
    double from = place(k), to = place(k + 1);
    if (from > to) std::swap(from, to);
    const double p = loss.removed ? loss.mixed(from, to) : loss.plain(from, to);
    const double q = loss.removed ? loss.plain(from, to) : loss.mixed(from, to);
    // The two ends share p so that their mean of e^−loss is q's: no divergence gets smaller. Where that is
    // hardly a double any more, the upper end takes all.
    const double least = step * static_cast<double>(k);
    const double upper =
        least > 600.0 ? p : std::clamp((p - q / std::exp(-least)) / -std::expm1(-step), 0.0, p);
    const auto n = static_cast<std::size_t>(k - out.first);
    out.masses[n] += p - upper;
    out.masses[n + 1] += upper;
  }
  // What lies beyond the ends: small losses count as the least, large ones as unbounded.
  const double far = 40.0 * loss.sigma + 1.0;
  const double under = loss.removed ? loss.mixed(-far, x.low) : loss.plain(x.high, far);
  const double over = loss.removed ? loss.mixed(x.high, far) : loss.plain(-far, x.low);
  out.masses[1] += under;
  out.infinite = over;
  return out;
}

// The least u with P(sum > u) ≤ cut_tail by Chernoff's bound; `side` −1: for the lower end.
double reach_of(std::span<const Gridded> parts, std::span<const NoisyReleases> releases, double step,
                double side) {
  std::vector<std::vector<double>> logs;
  for (const Gridded& part : parts) {
    logs.emplace_back(part.masses);
    for (double& mass : logs.back()) mass = std::log(std::max(mass, 1e-300));
  }
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> terms;
  for (double tilt = 1e-3; tilt < 1e4; tilt *= 1.5) {
    double cumulant = 0.0;
    for (std::size_t n = 0; n < parts.size(); ++n) {
      terms.clear();
      for (std::size_t k = 0; k < logs[n].size(); ++k)
        terms.push_back(tilt * side * step * static_cast<double>(parts[n].first + static_cast<long long>(k)) +
                        logs[n][k]);
      const double top = *std::max_element(terms.begin(), terms.end());
      double sum = 0.0;
      for (const double term : terms)
        if (term > top - 60.0) sum += std::exp(term - top);
      cumulant += releases[n].times * (top + std::log(sum) + 1e-12);
    }
    best = std::min(best, (cumulant - std::log(cut_tail)) / tilt);
  }
  return best;
}

LossDistribution compose(std::span<const NoisyReleases> releases, double step, bool removed) {
  std::vector<Gridded> parts;
  double finite = 1.0;
  for (const NoisyReleases& one : releases) {
    parts.push_back(put_on_grid({one.kind, one.sampling, one.noise, removed}, step));
    finite *= std::pow(1.0 - parts.back().infinite, one.times);
  }
  const double high = reach_of(parts, releases, step, 1.0), low = -reach_of(parts, releases, step, -1.0);
  std::size_t size = 1;
  std::size_t widest = 0;
  for (const Gridded& part : parts) widest = std::max(widest, part.masses.size());
  while (static_cast<double>(size) < (high - low) / step + 2.0 || size < widest) size *= 2;
  // Sums beyond the window wrap around: those above it are counted as unbounded, those below come in above,
  // where they can only cost more.
  const auto first = static_cast<long long>(std::floor(high / step)) + 1 - static_cast<long long>(size);
  const auto wrap = [&](long long k) {
    const auto n = static_cast<long long>(size);
    return static_cast<std::size_t>(((k % n) + n) % n);
  };
  std::vector<std::complex<double>> product(size, 1.0);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    std::vector<std::complex<double>> values(size, 0.0);
    for (std::size_t k = 0; k < parts[n].masses.size(); ++k)
      values[wrap(parts[n].first + static_cast<long long>(k))] += parts[n].masses[k];
    fourier(values, Direction::forward);
    for (std::size_t k = 0; k < size; ++k) product[k] *= whole_power(values[k], releases[n].times);
  }
  fourier(product, Direction::backward);
  std::vector<double> masses(size);
  for (std::size_t n = 0; n < size; ++n)
    masses[n] = std::max(product[wrap(first + static_cast<long long>(n))].real(), 0.0);
  return {step, first, std::move(masses), 1.0 - finite + cut_tail};
}

// Fine enough that splitting a loss between two grid points hardly widens the sum, and that a grid fits.
double step_of(std::span<const NoisyReleases> releases) {
  double step = 2e-3, widest = 0.0;
  for (const NoisyReleases& one : releases) {
    const double spread = one.sampling / one.noise;  // about the loss' standard deviation
    step = std::min(step, spread / 30.0);
    const Loss loss{one.kind, one.sampling, one.noise, true};
    const Ends x = ends_of(loss);
    widest = std::max(widest, loss.at(x.high) - loss.at(x.low));
  }
  return std::max(step, widest / most_points);
}

}  // namespace

double LossDistribution::delta(double epsilon) const {
  double sum = infinite_;
  for (std::size_t n = masses_.size(); n-- > 0 && loss(n) > epsilon;)
    sum += masses_[n] * -std::expm1(epsilon - loss(n));
  return std::min(sum, 1.0);
}

double LossDistribution::epsilon(double delta) const {
  if (this->delta(0.0) <= delta) return 0.0;
  if (infinite_ > delta) return std::numeric_limits<double>::infinity();
  // δ(ε) = infinite + Σ p − e^ε Σ p e^−loss over the losses above ε: from the top down until it passes δ.
  // The second sum is kept as a multiple of e^−loss(n), which is no double any more for losses above 745.
  const double fall = std::exp(-step_);
  double mass = infinite_, tilted = 0.0;
  for (std::size_t n = masses_.size(); n-- > 0;) {
    mass += masses_[n];
    tilted = tilted * fall + masses_[n];
    if (mass <= delta) continue;
    const double epsilon = loss(n) + std::log((mass - delta) / tilted);
    if (n == 0 || epsilon >= loss(n - 1)) return std::max(epsilon, 0.0);
  }
  return 0.0;  // all the mass is no more than δ
}

Pld Pld::of(std::span<const NoisyReleases> releases) {
  SOTTO_ASSERT(!releases.empty(), "at least one release");
  for (const NoisyReleases& one : releases) SOTTO_ASSERT(check(one).ok(), "the releases were checked");
  const double step = step_of(releases);
  return Pld(compose(releases, step, true), compose(releases, step, false));
}

double Pld::delta(double epsilon) const { return std::max(removed_.delta(epsilon), added_.delta(epsilon)); }
double Pld::epsilon(double delta) const { return std::max(removed_.epsilon(delta), added_.epsilon(delta)); }

}  // namespace sotto::privacy
