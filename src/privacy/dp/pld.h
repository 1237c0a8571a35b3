// PLD: the cost of releases with sampled Gaussian or Laplace noise and of private choices by the distribution
// of the privacy loss itself: close to the truth where RDP only bounds it. The loss is put on a grid so that
// the hockey-stick divergence never gets smaller ("connect the dots", Doroshenko et al. 2022), and losses add
// up by a Fourier transform.
//
// Laws: what it says is never below the truth, for a person added as for one removed (the larger counts), but
// for the rounding of doubles, about 1e-11 in δ: ask for δ of 1e-9 or more. Noise is that of a real
// line; a discrete Gaussian comes as near to it as its step is small, a discrete Laplace costs no more
// (privacy/dp/laplace.h).
#pragma once

#include <span>
#include <vector>

#include "privacy/dp/rdp.h"

namespace sotto::privacy {

// The composed loss distribution of one direction.
class LossDistribution {
 public:
  LossDistribution(double step, long long first, std::vector<double> masses, double infinite)
      : step_(step), first_(first), masses_(std::move(masses)), infinite_(infinite) {}
  [[nodiscard]] double delta(double epsilon) const;
  [[nodiscard]] double epsilon(double delta) const;

 private:
  [[nodiscard]] double loss(std::size_t n) const {
    return step_ * static_cast<double>(first_ + static_cast<long long>(n));
  }
  double step_;
  long long first_;  // the grid point of masses_[0]
  std::vector<double> masses_;
  double infinite_;  // the chance of an unbounded loss, tails that were cut among it
};

class Pld {
 public:
  // All the releases together. They are checked, and there is at least one.
  [[nodiscard]] static Pld of(std::span<const NoisyReleases> releases);

  [[nodiscard]] double delta(double epsilon) const;
  [[nodiscard]] double epsilon(double delta) const;

 private:
  Pld(LossDistribution removed, LossDistribution added)
      : removed_(std::move(removed)), added_(std::move(added)) {}
  LossDistribution removed_, added_;
};

}  // namespace sotto::privacy
