// One release with Gaussian noise, exactly (Balle and Wang 2018, Theorem 8): the δ that noise σ, told as a
// multiple of the sensitivity, leaves at ε is Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ).
// Several releases of the same people are one with 1/σ² = Σ 1/σᵢ².
#pragma once

#include "base/layers.h"

namespace sotto::privacy {

[[nodiscard]] double gaussian_delta(double noise, double epsilon);
// The least ε ≥ 0 at which `noise` leaves at most δ; 0 < δ < 1.
[[nodiscard]] double gaussian_epsilon(double noise, double delta);
// The least noise that is (ε, δ)-private.
[[nodiscard]] double gaussian_noise(double epsilon, double delta);

}  // namespace sotto::privacy
