// Calibration: the noise that an ε needs, for so many releases at some sampling rate.
// Laws: what it returns is enough, by the accountant that was asked; it is rounded up to five digits, so that
// a library's last bit does not decide it (noise decides the bytes of a model).
#pragma once

#include <span>

#include "base/result.h"
#include "privacy/dp/rdp.h"

namespace sotto::privacy {

struct PrivacyGoal {
  double epsilon = 1.0;
  double delta = 1e-6;
};
[[nodiscard]] Status check(const PrivacyGoal& goal);

enum class Accountant : std::uint8_t { rdp, pld };

// What the releases, at least one, cost at δ. By PLD never more than by RDP; infinite where PLD cannot tell
// (its rounding is more than δ, or it comes out above RDP's bound).
[[nodiscard]] double cost_of(std::span<const NoisyReleases> releases, double delta, Accountant accountant);
[[nodiscard]] double cost_of(const NoisyReleases& releases, double delta, Accountant accountant);

// The least noise for `times` releases, where `beside` are paid from the same goal; goal, rate and those are
// checked. Fails where no noise up to 10⁶ suffices, and where PLD's own rounding is more than δ.
[[nodiscard]] Result<double> noise_for(const PrivacyGoal& goal, double sampling, std::uint32_t times,
                                       Accountant accountant, NoiseKind kind = NoiseKind::gaussian,
                                       std::span<const NoisyReleases> beside = {});

// Rounded up to five significant digits.
[[nodiscard]] double rounded_up(double value);

}  // namespace sotto::privacy
