// Files: the one place that touches the disk.
//
// Laws: a file that is written appears whole or not at all (temporary file, fsync, rename); a failure
// names the file and what the system said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/result.h"
#include "base/shared_bytes.h"

namespace sotto::engine {

// The whole file, unpacked if it is zstd (known by its content).
[[nodiscard]] Result<Bytes> read_file(const std::filesystem::path& path);
// The same bytes, but a plain file is mapped instead of read (engine/files/mapped_file.h).
[[nodiscard]] Result<SharedBytes> read_or_map(const std::filesystem::path& path);
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& path);

// Who may read a written file: whoever the system's defaults let, or its owner alone. What is private
// is so from its first byte on, in the temporary file too.
enum class Privacy : std::uint8_t { shared, owner_only };

[[nodiscard]] Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                                Privacy privacy = Privacy::shared);
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::string_view text);
// What `produce` puts into the sink it is given, without holding it all.
[[nodiscard]] Status write_file(const std::filesystem::path& path,
                                const std::function<Status(const ByteSink&)>& produce,
                                Privacy privacy = Privacy::shared);

// Whether something has that name (a link counts even if it leads nowhere).
[[nodiscard]] Result<bool> is_there(const std::filesystem::path& path);
// Where the file lies, plain or packed (.zst); empty if it is not there.
[[nodiscard]] Result<std::string> plain_or_packed(const std::filesystem::path& folder,
                                                  const std::string& name);
// Fine if there is no such file.
[[nodiscard]] Status remove_file(const std::filesystem::path& path);

// A folder and its parents; fine if it is there.
[[nodiscard]] Status make_folder(const std::filesystem::path& path);

// The data files that `paths` mean, sorted: files as they are; of a folder its files with an ending
// that data has (.tsv .csv .dat .data .txt, each also .zst), but for those that by their name describe
// items or users (movies, items, users, tags, links, category…, readme). Fails if one is missing or a
// folder has none.
[[nodiscard]] Result<std::vector<std::filesystem::path>> data_files(const std::vector<std::string>& paths);

// A text file written line by line and flushed to disk on demand (a log, not an atomic file).
class AppendFile {
 public:
  // Keeps the first `keep_lines` lines of what is there.
  [[nodiscard]] static Result<AppendFile> open(const std::filesystem::path& path, std::uint64_t keep_lines);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  [[nodiscard]] Status line(std::string_view text);
  [[nodiscard]] Status flush();
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  AppendFile(int descriptor, std::filesystem::path path, std::uint64_t lines)
      : descriptor_(descriptor), path_(std::move(path)), lines_(lines) {}
  [[nodiscard]] Status write_pending();

  int descriptor_;
  std::filesystem::path path_;
  std::uint64_t lines_;
  std::string pending_;
};

}  // namespace sotto::engine
