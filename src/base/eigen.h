// The eigenvectors of a symmetric matrix (LAPACK, as base/dense.h: docs/adr/0008-dense-algebra.md).
//
// Laws: one thread, so the same bytes for any number of threads on one machine; between machines the last
// bits may differ.
#pragma once

#include <vector>

#include "base/dense.h"

namespace sotto::base {

struct EigenSystem {
  std::vector<double> values;  // ascending
  SymmetricMatrix vectors;     // row n belongs to values[n]; orthonormal
};

// Reads the lower triangle (column ≤ row) alone. Fails where a value is not finite.
[[nodiscard]] Result<EigenSystem> eigen_of(SymmetricMatrix matrix);

// Σₙ values[n] · vₙ vₙᵀ over the vectors whose value is not 0.
[[nodiscard]] SymmetricMatrix recompose(const EigenSystem& eigen);

}  // namespace sotto::base
