#include "privacy/dp/calibrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "privacy/dp/gaussian.h"
#include "privacy/dp/pld.h"

namespace sotto::privacy {

Status check(const PrivacyGoal& goal) {
  if (!(goal.epsilon > 0.0 && std::isfinite(goal.epsilon)))
    return fail(Code::usage, fmt::format("epsilon {} is no number above 0", goal.epsilon));
  if (!(goal.delta > 0.0 && goal.delta < 1.0))
    return fail(Code::usage, fmt::format("delta {} does not lie between 0 and 1", goal.delta));
  return Done{};
}

namespace {

double by_distribution(std::span<const NoisyReleases> releases, double delta) {
  // Without sampling the loss is Gaussian: no grid is needed.
  const NoisyReleases& first = releases.front();
  if (releases.size() == 1 && first.kind == NoiseKind::gaussian && first.sampling >= 1.0)
    return gaussian_epsilon(first.noise / std::sqrt(static_cast<double>(first.times)), delta);
  return Pld::of(releases).epsilon(delta);
}

}  // namespace

double cost_of(std::span<const NoisyReleases> releases, double delta, Accountant accountant) {
  RdpLedger ledger;
  for (const NoisyReleases& one : releases) ledger.add(one);
  const double bound = ledger.epsilon(delta);
  if (accountant == Accountant::rdp) return bound;
  const double pld = by_distribution(releases, delta);
  // Above the bound by a grid's width: the bound is the cost (of few Laplace releases, their plain sum). By
  // more: the grid is too coarse to tell. (Of many choices PLD knows the worst of each alone: RDP is nearer.)
  constexpr double width = 2e-3;
  const bool chosen =
      std::ranges::any_of(releases, [](const NoisyReleases& one) { return one.kind == NoiseKind::choice; });
  if (!chosen && pld > bound + width * std::max(1.0, bound)) return std::numeric_limits<double>::infinity();
  return std::min(pld, bound);
}

double cost_of(const NoisyReleases& releases, double delta, Accountant accountant) {
  return cost_of({&releases, 1}, delta, accountant);
}

double rounded_up(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 4.0);
  return std::ceil(value / unit * (1.0 - 1e-12)) * unit;
}

Result<double> noise_for(const PrivacyGoal& goal, double sampling, std::uint32_t times, Accountant accountant,
                         NoiseKind kind, std::span<const NoisyReleases> beside) {
  std::vector<NoisyReleases> all(beside.begin(), beside.end());
  all.push_back({1.0, sampling, times, kind});
  const auto cost = [&](double noise) {
    all.back().noise = noise;
    return cost_of(all, goal.delta, accountant);
  };
  const auto enough = [&](double noise) { return cost(noise) <= goal.epsilon; };
  constexpr double most = 1e6;
  double high = 1.0;
  // PLD takes long where noise is small; RDP's answer is near.
  if (accountant == Accountant::pld) {
    SOTTO_TRY(high, noise_for(goal, sampling, times, Accountant::rdp, kind, beside));
    // The rounding of many releases alone is more than δ: no noise would help, and each try is long.
    if (!std::isfinite(cost(high)))
      return fail(Code::usage, fmt::format("PLD cannot tell the cost of {} releases at delta {}: allow a "
                                           "larger one, or go by RDP",
                                           times, goal.delta));
  }
  while (!enough(high)) {
    high *= 2.0;
    if (high > most)
      return fail(Code::usage,
                  fmt::format("no noise makes {} releases cost only epsilon {} at delta {}: allow more, or "
                              "release less often",
                              times, goal.epsilon, goal.delta));
  }
  const double step = accountant == Accountant::pld ? 1.2 : 2.0;
  const double precise = accountant == Accountant::pld ? 1e-4 : 1e-6;
  double low = high / step;
  while (low > 1e-3 && enough(low)) high = low, low /= step;
  while (high - low > precise * high) {
    const double middle = (low + high) / 2.0;
    (enough(middle) ? high : low) = middle;
  }
  return rounded_up(high);
}

}  // namespace sotto::privacy
