// A Gram matrix out of its noisy release. Independent noise of standard deviation s on an n × n symmetric
// matrix has eigenvalues up to 2s√n (Wigner's semicircle); what does not stand above that edge says nothing,
// and what does is too large by it. Each eigenvalue λ becomes √(λ² − edge²), the choice of least squared
// error (Gavish and Donoho 2017), or 0. It costs no privacy: it looks at the release alone.
#pragma once

#include "base/dense.h"

namespace sotto::model {

struct CleanGram {
  SymmetricMatrix gram;         // positive semidefinite, all n × n values
  std::size_t kept_values = 0;  // eigenvalues above the edge
};

// Reads the lower triangle alone. Without noise the matrix comes back as it is, but for negative eigenvalues.
[[nodiscard]] Result<CleanGram> clean_gram(SymmetricMatrix noisy, double noise);

}  // namespace sotto::model
