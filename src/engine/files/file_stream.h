// A file read from front to back in pieces, unpacked on the way if it is zstd (known by its content): memory
// does not grow with the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "data/kg/line_stream.h"

namespace sotto::engine {

// Is told, with each piece, how many more bytes of files were read; its failure ends the reading.
using ReadProgress = std::function<Status(std::uint64_t more)>;

// Named by its path. The progress, if any, must outlive the source.
[[nodiscard]] Result<NamedSource> open_stream(const std::filesystem::path& path,
                                              const ReadProgress& progress = {});

}  // namespace sotto::engine
