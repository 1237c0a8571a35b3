// A private choice: the exponential mechanism over scores that one person raises by 0 to 1 each (by whole
// units of what one person may change), P(k) ∝ e^(ε · score_k) (exact_noise.h). Somebody added never lowers a
// score, so that no factor 2 is lost.
//
// Laws: between two sets of people that differ by one person the losses ln P(k)/Q(k) of all k lie within ε of
// each other (bounded range, Dong, Durfee and Rogers 2020), and 0 is among them: a choice is ε-DP, in both
// directions alike. What follows holds for all scores and any number of candidates:
// - D_α ≤ α·ε²/8, never above ε (Hoeffding's lemma gives the mean of the loss ≤ ε²/8 and the rest of it;
//   Cesar and Rogers 2021).
// - The hockey-stick divergence at s is at most (1 − e^{(s−ε)/2})²/(1 − e^−ε), the largest over all laws of
//   two losses ε apart, which is that of the pair with densities ∝ e^{−ε(1−x)} and e^{−εx} on [0, 1]. One
//   choice reaches it; of many together, which are not the worst at every s at once, the first bound is the
//   nearer.
#pragma once

#include "base/layers.h"

namespace sotto::privacy {

// The Rényi divergence of one choice, `order` > 1: never below the truth.
[[nodiscard]] double choice_rdp(double epsilon, double order);

// The chance of (a, b] under the density ∝ e^{−εx} on [0, 1].
[[nodiscard]] double choice_between(double epsilon, double a, double b);

}  // namespace sotto::privacy
