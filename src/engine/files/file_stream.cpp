#include "engine/files/file_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/codec.h"
#include "base/compression.h"
#include "engine/files/descriptor.h"
#include "engine/files/files.h"

namespace sotto::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece = std::size_t{1} << 17;

class FileStream {
 public:
  FileStream(int descriptor, fs::path path, ReadProgress progress)
      : file_(descriptor), path_(std::move(path)), progress_(std::move(progress)), buffer_(piece) {}

  // The first bytes say whether it is packed.
  [[nodiscard]] Status begin() {
    while (rest_.size() < 4) {
      SOTTO_TRY(const bool more, fill());
      if (!more) break;
    }
    if (looks_like_zstd(rest_)) unpacker_.emplace();
    return Done{};
  }

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) {
    return unpacker_ ? read_packed(buffer) : read_plain(buffer);
  }

 private:
  // Puts more behind what is left. False at the end.
  [[nodiscard]] Result<bool> fill() {
    const std::size_t left = rest_.size();
    if (left > 0) std::memmove(buffer_.data(), rest_.data(), left);
    ssize_t got = 0;
    do {
      got = ::read(file_.number(), buffer_.data() + left, buffer_.size() - left);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return system_error("read", path_, errno);
    rest_ = std::span(buffer_).first(left + static_cast<std::size_t>(got));
    if (got > 0 && progress_) SOTTO_TRY_DONE(progress_(static_cast<std::uint64_t>(got)));
    return got > 0;
  }

  [[nodiscard]] Result<std::size_t> read_plain(std::span<char> buffer) {
    if (rest_.empty()) {
      SOTTO_TRY(const bool more, fill());
      if (!more) return std::size_t{0};
    }
    const std::size_t count = std::min(buffer.size(), rest_.size());
    std::memcpy(buffer.data(), rest_.data(), count);
    rest_ = rest_.subspan(count);
    return count;
  }

  [[nodiscard]] Result<std::size_t> read_packed(std::span<char> buffer) {
    while (true) {
      auto got = unpacker_->unpack(rest_, std::as_writable_bytes(buffer));
      if (!got.ok()) return chained(got.error(), path_.string());
      if (*got > 0) return *got;
      SOTTO_TRY(const bool more, fill());
      if (more) continue;
      if (const Status whole = unpacker_->finish(); !whole.ok())
        return chained(whole.error(), path_.string());
      return std::size_t{0};
    }
  }

  Descriptor file_;
  fs::path path_;
  ReadProgress progress_;
  Bytes buffer_;
  std::span<const std::byte> rest_;
  std::optional<Unpacker> unpacker_;
};

}  // namespace

Result<NamedSource> open_stream(const fs::path& path, const ReadProgress& progress) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error("read", path, errno);
  auto stream = std::make_shared<FileStream>(descriptor, path, progress);
  struct stat facts {};
  if (::fstat(descriptor, &facts) == 0 && S_ISDIR(facts.st_mode))
    return fail(Code::bad_input, "'" + path.string() + "' is a folder where a file is needed");
  SOTTO_TRY_DONE(stream->begin());
  return NamedSource{path.string(), [stream](std::span<char> buffer) { return stream->read(buffer); }};
}

}  // namespace sotto::engine
