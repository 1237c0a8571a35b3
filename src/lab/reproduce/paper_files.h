// The files of papers/ as they were when this was built (cmake/embed.cmake): nothing is read from disk.
#pragma once

#include <span>
#include <string_view>

#include "base/layers.h"

namespace sotto::lab {

struct PaperFile {
  std::string_view path;  // "papers/pairwise/scores.tsv"
  std::string_view text;
};
[[nodiscard]] std::span<const PaperFile> paper_files();

}  // namespace sotto::lab
