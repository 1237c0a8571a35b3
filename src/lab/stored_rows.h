// Matrices as bytes on the lab's own disk: for checkpoints and run directories, not for the wire.
#pragma once

#include "base/codec.h"
#include "base/row_matrix.h"

namespace sotto {

void write_rows(Writer& out, const RowMatrix& rows);
// An empty matrix, and a spoiled reader, if the bytes do not hold one.
[[nodiscard]] RowMatrix read_rows(Reader& in);

}  // namespace sotto
