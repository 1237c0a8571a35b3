// A saved split as a file. A plain one is mapped: it is ready in the time of one look over it, and its pages
// belong to the system, which may take them back. A compressed one is unpacked into memory.
//
// Law: up to `whole_check_bytes` a file is checked byte by byte; a larger one quickly (data/split_io.h says
// what that sees), unless the caller asks for more.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/split_io.h"

namespace sotto::engine {

inline constexpr std::size_t whole_check_bytes = std::size_t{64} << 20;

[[nodiscard]] Result<Split> open_split_file(const std::filesystem::path& path,
                                            SplitCheck at_least = SplitCheck::quick);
[[nodiscard]] Status write_split_file(const std::filesystem::path& path, const Split& split);

// Whether the file begins as a saved split does, packed or not. A file that cannot be read does not.
[[nodiscard]] bool is_split_file(const std::filesystem::path& path);

}  // namespace sotto::engine
