// The name of a model: a hash of the shape and the floats of its rows.
// Law: padding is no part of it.
#pragma once

#include <string>

#include "base/hash.h"
#include "base/row_matrix.h"

namespace sotto::base {

[[nodiscard]] inline std::string hash_rows(const RowMatrix& rows) {
  Hasher hasher;
  hasher.u64(rows.rows()).u64(rows.width());
  for (std::size_t row = 0; row < rows.rows(); ++row) hasher.array(rows.values(row));
  return std::move(hasher).hex();
}

}  // namespace sotto::base
