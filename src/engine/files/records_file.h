// records.bin of a run directory: the split's records and contexts, sealed with a hash (zstd).
#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/split.h"

namespace sotto::engine {

// Nothing is written where the split has neither.
[[nodiscard]] Status write_records_file(const std::filesystem::path& path, const Split& split);
// Gives the split what the file holds, if there is one.
[[nodiscard]] Status attach_records_file(const std::filesystem::path& path, Split& split);

}  // namespace sotto::engine
