#include "engine/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/compression.h"
#include "engine/files/descriptor.h"
#include "engine/files/mapped_file.h"

namespace sotto::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t pending_limit = std::size_t{1} << 16;

// Returns 0 or the system's error number.
int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

Result<Bytes> read_raw(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return system_error("read", path, errno);
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) return system_error("read", path, errno);
  if (S_ISDIR(facts.st_mode))
    return fail(Code::bad_input, fmt::format("'{}' is a folder where a file is needed", path.string()));
  Bytes bytes(static_cast<std::size_t>(facts.st_size) + 1);  // one more, to see the end without growing
  std::size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(bytes.size() * 2);
    const ssize_t got = ::read(file.number(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

// Makes a rename survive a power cut. Some file systems cannot; the file is whole either way.
void sync_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.number());
}

bool has_data_ending(fs::path path) {
  if (path.extension() == ".zst") path.replace_extension();
  const std::string ending = path.extension().string();
  constexpr std::array endings{".tsv", ".csv", ".dat", ".data", ".txt"};
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

// Files that stand beside the interactions: texts, and tables of items and users. Known by a word of
// their name: movies.dat, world.items.tsv.zst.
bool stands_beside(const fs::path& path) {
  constexpr std::array names{"readme", "license", "movies", "items", "users", "tags", "links"};
  std::string name = path.filename().string();
  for (char& letter : name)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t dot = name.find('.', at);
    const std::string word = name.substr(at, dot - at);
    if (word.starts_with("category") || std::find(names.begin(), names.end(), word) != names.end())
      return true;
    at = dot == std::string::npos ? dot : dot + 1;
  }
  return false;
}

Status add_folder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file() && has_data_ending(entry->path()) && !stands_beside(entry->path()))
      found.push_back(entry->path());
  if (error) return system_error("list", folder, error.value());
  if (found.empty())
    return fail(Code::not_found,
                fmt::format("the folder '{}' holds no interactions: expected .tsv, .csv, .dat, .data or .txt "
                            "files, plain or .zst",
                            folder.string()));
  files.insert(files.end(), found.begin(), found.end());
  return Done{};
}

// Where the first `lines` lines end, and how many there were.
struct Prefix {
  std::uint64_t lines = 0;
  std::size_t bytes = 0;
};
Prefix prefix_of(std::span<const std::byte> text, std::uint64_t lines) {
  Prefix prefix;
  for (std::size_t at = 0; at < text.size() && prefix.lines < lines; ++at)
    if (text[at] == std::byte{'\n'}) prefix = {prefix.lines + 1, at + 1};
  return prefix;
}

}  // namespace

Error system_error(const char* what, const fs::path& path, int number) {
  const Code code = number == ENOENT || number == ENOTDIR ? Code::not_found : Code::io;
  return fail(
      code, fmt::format("cannot {} '{}': {}", what, path.string(), std::generic_category().message(number)));
}

Result<Bytes> read_file(const fs::path& path) {
  SOTTO_TRY(Bytes bytes, read_raw(path));
  if (!looks_like_zstd(bytes)) return bytes;
  auto unpacked = decompress(bytes);
  if (!unpacked.ok()) return chained(unpacked.error(), path.string());
  return unpacked;
}

Result<SharedBytes> read_or_map(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) {  // a pipe can be read, but not mapped
    SOTTO_TRY(Bytes bytes, read_file(path));
    return SharedBytes::of(std::move(bytes));
  }
  SOTTO_TRY(SharedBytes mapped, map_file(path));
  if (!looks_like_zstd(mapped.bytes)) return mapped;
  auto unpacked = decompress(mapped.bytes);
  if (!unpacked.ok()) return chained(unpacked.error(), path.string());
  return SharedBytes::of(std::move(*unpacked));
}

Result<std::string> read_text(const fs::path& path) {
  SOTTO_TRY(const Bytes bytes, read_file(path));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status write_file(const fs::path& path, const std::function<Status(const ByteSink&)>& produce,
                  Privacy privacy) {
  fs::path temporary = path;
  temporary.replace_filename(fmt::format(".{}.{}.part", path.filename().string(), ::getpid()));
  const mode_t mode = privacy == Privacy::owner_only ? 0600 : 0666;
  ::unlink(temporary.c_str());  // a leftover would keep its own mode
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.is_open()) return system_error("write", path, errno);
  const Status produced = produce([&](std::span<const std::byte> bytes) -> Status {
    if (const int trouble = write_all(file.number(), bytes); trouble != 0)
      return system_error("write", path, trouble);
    return Done{};
  });
  if (!produced.ok()) {
    ::unlink(temporary.c_str());
    return produced;
  }
  int trouble = 0;
  if (::fsync(file.number()) != 0 && errno != EINVAL) trouble = errno;
  if (::close(file.release()) != 0 && trouble == 0) trouble = errno;
  if (trouble == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) trouble = errno;
  if (trouble != 0) {
    ::unlink(temporary.c_str());
    return system_error("write", path, trouble);
  }
  sync_folder(path.has_parent_path() ? path.parent_path() : fs::path("."));
  return Done{};
}

Status write_file(const fs::path& path, std::span<const std::byte> bytes, Privacy privacy) {
  return write_file(
      path, [&](const ByteSink& take) { return take(bytes); }, privacy);
}

Status write_file(const fs::path& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

Result<bool> is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::none) return system_error("look at", path, error.value());
  return fs::exists(status);
}

Result<std::string> plain_or_packed(const fs::path& folder, const std::string& name) {
  for (const char* ending : {"", ".zst"}) {
    const fs::path path = folder / (name + ending);
    SOTTO_TRY(const bool there, is_there(path));
    if (there) return path.string();
  }
  return std::string();
}

Status remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) return system_error("remove", path, error.value());
  return Done{};
}

Status make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return system_error("make the folder", path, error.value());
  if (!fs::is_directory(path, error))
    return fail(Code::io, fmt::format("cannot make the folder '{}': a file has that name", path.string()));
  return Done{};
}

Result<std::vector<fs::path>> data_files(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& text : paths) {
    const fs::path path(text);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
      return fail(Code::not_found, fmt::format("there is no file or folder '{}'", text));
    if (fs::is_directory(status)) {
      SOTTO_TRY_DONE(add_folder(path, files));
    } else {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

Result<AppendFile> AppendFile::open(const fs::path& path, std::uint64_t keep_lines) {
  Prefix kept;
  std::error_code error;
  if (keep_lines > 0 && fs::exists(path, error)) {
    SOTTO_TRY(const Bytes text, read_raw(path));
    kept = prefix_of(text, keep_lines);
  }
  if (kept.lines < keep_lines)
    return fail(Code::bad_input, fmt::format("'{}' has {} lines where {} are needed to go on: start again",
                                             path.string(), kept.lines, keep_lines));
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) return system_error("write", path, errno);
  const auto end = static_cast<off_t>(kept.bytes);
  if (::ftruncate(file.number(), end) != 0 || ::lseek(file.number(), end, SEEK_SET) != end)
    return system_error("write", path, errno);
  return AppendFile(file.release(), path, kept.lines);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      lines_(other.lines_),
      pending_(std::move(other.pending_)) {}

AppendFile::~AppendFile() {
  if (descriptor_ < 0) return;
  write_all(descriptor_, std::as_bytes(std::span(pending_)));
  ::close(descriptor_);
}

Status AppendFile::line(std::string_view text) {
  pending_.append(text).push_back('\n');
  ++lines_;
  if (pending_.size() < pending_limit) return Done{};
  return write_pending();
}

Status AppendFile::write_pending() {
  const int trouble = write_all(descriptor_, std::as_bytes(std::span(pending_)));
  pending_.clear();
  if (trouble != 0) return system_error("write", path_, trouble);
  return Done{};
}

Status AppendFile::flush() {
  SOTTO_TRY_DONE(write_pending());
  if (::fsync(descriptor_) != 0 && errno != EINVAL) return system_error("write", path_, errno);
  return Done{};
}

}  // namespace sotto::engine
