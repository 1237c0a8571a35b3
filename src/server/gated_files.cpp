#include "server/gated_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace sotto::server {

namespace fs = std::filesystem;

namespace {

using Kind = DurableWrite::Kind;

class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

// Returns 0 or the system's error number.
int write_whole(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool is_there(const fs::path& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Error disk_error(const char* what, const fs::path& path, int number) {
  const Code code = number == ENOENT || number == ENOTDIR ? Code::not_found : Code::io;
  const char* remedy = number == ENOSPC || number == EDQUOT  ? "; make room, it goes on then"
                       : number == EACCES || number == EROFS ? "; its owner must be able to write there"
                                                             : "";
  return fail(code, fmt::format("cannot {} '{}': {}{}", what, path.string(),
                                std::generic_category().message(number), remedy));
}

Status GatedFiles::pass(const DurableWrite& write) const {
  if (gate_ == nullptr || gate_->let_through(write)) return Done{};
  return disk_error("write", write.path, ENOSPC);
}

Status GatedFiles::make_file(const fs::path& path) const {
  if (is_there(path)) return Done{};
  SOTTO_TRY_DONE(pass({Kind::create, path.c_str()}));
  const OpenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return disk_error("make", path, errno);
  return Done{};
}

Status GatedFiles::make_folder(const fs::path& path) const {
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) return Done{};
  SOTTO_TRY_DONE(pass({Kind::create, path.c_str()}));
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return disk_error("make", path, errno);
  return sync_folder(path.parent_path());
}

Status GatedFiles::write_synced(const fs::path& path, std::string_view bytes) const {
  SOTTO_TRY_DONE(pass({Kind::create, path.c_str()}));
  const OpenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.is_open()) return disk_error("make", path, errno);
  SOTTO_TRY_DONE(pass({Kind::write, path.c_str(), 0, bytes}));
  const int failed = write_whole(file.number(), bytes);
  if (failed != 0) return disk_error("write", path, failed);
  SOTTO_TRY_DONE(pass({Kind::sync, path.c_str()}));
  if (::fsync(file.number()) != 0) return disk_error("write", path, errno);
  return Done{};
}

Status GatedFiles::rename(const fs::path& from, const fs::path& to) const {
  SOTTO_TRY_DONE(pass({Kind::rename, from.c_str(), 0, {}, to.c_str()}));
  if (::rename(from.c_str(), to.c_str()) != 0) return disk_error("make", to, errno);
  return Done{};
}

Status GatedFiles::remove(const fs::path& path) const {
  SOTTO_TRY_DONE(pass({Kind::remove, path.c_str()}));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return disk_error("remove", path, errno);
  return Done{};
}

Status GatedFiles::sync_folder(const fs::path& path) const {
  SOTTO_TRY_DONE(pass({Kind::sync, path.c_str()}));
  const OpenFile folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return disk_error("open", path, errno);
  // Some file systems cannot sync a folder and need not.
  if (::fsync(folder.number()) != 0 && errno != EINVAL) return disk_error("write", path, errno);
  return Done{};
}

Result<std::string> GatedFiles::read(const fs::path& path) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return disk_error("read", path, errno);
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) return disk_error("read", path, errno);
  if (!S_ISREG(facts.st_mode))
    return fail(Code::bad_input, fmt::format("'{}' is no file: remove it", path.string()));
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::read(file.number(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return disk_error("read", path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

Result<FolderLock> FolderLock::take(const fs::path& folder) {
  const fs::path path = folder / "lock";
  FolderLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.descriptor_ < 0) return disk_error("make", path, errno);
  if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return disk_error("lock", path, errno);
  return fail(Code::io, fmt::format("another coordinator works in '{}': stop it, or give another folder",
                                    folder.string()));
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace sotto::server
