// RDP: what sums with Gaussian or Laplace noise and private choices cost, as Rényi divergences that add up
// over releases (Mironov 2017; the sampled mechanism: Mironov, Talwar, Zhang 2019), and the (ε, δ) that
// follow from them.
//
// Noise is told as a multiple of the most that one person changes the sum: Gaussian by its deviation, of the
// Euclidean length (L2); Laplace by its scale, of the sum of absolute values (L1; privacy/dp/laplace.h); a
// choice by 1/ε, the scale of its Gumbel noise, of one score (privacy/dp/choice.h).
// `sampling` is the chance with which each person takes part in a release, each on their own (Poisson); 1:
// everybody does.
// Laws: the value at an order is never below the true divergence, so ε is never too small; charges add up in
// any order. At fractional orders the sampled Gaussian is a series whose terms change sign:
//   bound  adds their absolute values: a little more than the truth, and nothing cancels
//   exact  is the series itself
// Published accountants differ in this; tests/vectors in privacy.md come from both (docs/adr/0012).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace sotto::privacy {

enum class FractionalSeries : std::uint8_t { bound, exact };

enum class NoiseKind : std::uint8_t { gaussian, laplace, choice };
[[nodiscard]] Result<NoiseKind> parse_noise_kind(const std::string& text);
[[nodiscard]] const char* to_string(NoiseKind kind);

// One kind of release, so many times.
struct NoisyReleases {
  double noise = 1.0;
  double sampling = 1.0;
  std::uint32_t times = 1;
  NoiseKind kind = NoiseKind::gaussian;
};
[[nodiscard]] Status check(const NoisyReleases& releases);

// The divergence of order `order` > 1 of one release.
[[nodiscard]] double rdp_of(const NoisyReleases& one, double order,
                            FractionalSeries series = FractionalSeries::bound);

// 1.1, 1.2, … 10.9, 11, 12, … 63, then 128, 256, 512 and 1024.
[[nodiscard]] std::span<const double> usual_orders();

// The least ε at the given δ of a mechanism whose divergence of order α is `rdp` (Canonne, Kamath and Steinke
// 2020): rdp + ln(1 − 1/α) − ln(δα)/(α − 1), not below 0.
[[nodiscard]] double epsilon_at(double rdp, double order, double delta);

// The costs of many releases, one value an order.
class RdpLedger {
 public:
  explicit RdpLedger(FractionalSeries series = FractionalSeries::bound);

  // The releases are checked.
  void add(const NoisyReleases& releases);
  // Releases of which only an ε without δ is known (randomised response).
  void add_pure(double epsilon, std::uint32_t times);

  [[nodiscard]] double epsilon(double delta) const;
  // The ε that needs no δ; infinite where something was Gaussian.
  [[nodiscard]] double pure_epsilon() const { return pure_; }

 private:
  FractionalSeries series_;
  std::vector<double> costs_;
  double pure_ = 0.0;  // the sum of ε while nothing needed a δ
};

}  // namespace sotto::privacy
