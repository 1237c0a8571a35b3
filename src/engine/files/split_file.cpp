#include "engine/files/split_file.h"

#include "data/split_layout.h"
#include "engine/files/files.h"

namespace sotto::engine {

Result<Split> open_split_file(const std::filesystem::path& path, SplitCheck at_least) {
  SOTTO_TRY(const SharedBytes file, read_or_map(path));
  const bool small = file.bytes.size() <= whole_check_bytes;
  return open_split(file, path.string(), small ? SplitCheck::whole : at_least);
}

Status write_split_file(const std::filesystem::path& path, const Split& split) {
  return write_file(path, [&](const ByteSink& take) { return write_split(split, take); });
}

bool is_split_file(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;  // a pipe is read only once
  const auto file = read_or_map(path);
  return file.ok() && begins_as_split(file->bytes);
}

}  // namespace sotto::engine
