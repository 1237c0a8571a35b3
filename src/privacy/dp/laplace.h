// Laplace noise of scale b on each number of a sum that one person changes by at most the clip, added up over
// all numbers (L1). `noise` is b as a multiple of that clip, so one release is 1/noise-DP without any δ.
//
// Laws: what is said here holds for sums of any number of values: a change of one value alone is the worst.
// (Of changes ε₁ and ε₂ the divergence 1 − e^{(t−ε)/2} at loss t is never above that of ε₁ + ε₂ at once.) It
// holds for the discrete Laplace too, where its scale was planned for two units more than the clip
// (fed/dp_sum.h): at the losses that it can have, two units apart, its divergence is the real one's, and
// between them the chord.
#pragma once

#include "base/layers.h"

namespace sotto::privacy {

// The ε without δ of one release: the largest loss there is. Sampled: ln(1 + q(e^ε − 1)).
[[nodiscard]] double laplace_pure(double noise, double sampling);

// The Rényi divergence of one release, `order` > 1 (Mironov 2017, Table II; sampled: the same mixture as
// Mironov, Talwar and Zhang 2019, by the binomial sum at whole orders and by quadrature at others), for a
// person removed, which costs no less than one added.
[[nodiscard]] double laplace_rdp(double noise, double sampling, double order);

}  // namespace sotto::privacy
