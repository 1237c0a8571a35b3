// Matrices as bytes on the lab's own disk: for checkpoints and run directories, not for the wire.
//
// A stored file is a stamp (what it is, in which version), its content, and a hash over all of it.
// Law: a file with any byte changed, cut or added is refused, so that what is read is what was written.
#pragma once

#include <cstdint>
#include <string>

#include "base/codec.h"
#include "base/result.h"
#include "base/row_matrix.h"

namespace sotto::engine {

struct Stamp {
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  const char* kind = "";    // "model file", for messages
  const char* remedy = "";  // "train again"
};

// A writer with the stamp in it; sealed() ends the file with its hash.
[[nodiscard]] Writer stamped(const Stamp& stamp);
[[nodiscard]] Bytes sealed(Writer out);
// A reader of the content; `name` is what messages call the file. The bytes must outlive the reader.
[[nodiscard]] Result<Reader> unsealed(std::span<const std::byte> bytes, const Stamp& stamp,
                                      const std::string& name);
// "name: the checkpoint is damaged: start anew", as Code::bad_input.
[[nodiscard]] Error damaged(const Stamp& stamp, const std::string& name);

void write_rows(Writer& out, const RowMatrix& rows);
// An empty matrix, and a spoiled reader, if the bytes do not hold one.
[[nodiscard]] RowMatrix read_rows(Reader& in);

}  // namespace sotto::engine
