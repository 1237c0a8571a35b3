// GatedFiles: the few changes a store makes to files of its own, each past the WriteGate; and reading them.
//
// Laws: a file is private to its owner from its first byte on; a change that is reported done is done, and on
// the disk where it says so; a failure names the file and what the system said.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/write_gate.h"

namespace sotto::server {

class GatedFiles {
 public:
  // `gate` may be none.
  explicit GatedFiles(WriteGate* gate) : gate_(gate) {}

  // An empty file; fine if it is there.
  [[nodiscard]] Status make_file(const std::filesystem::path& path) const;
  // A folder in one that is there, and on the disk; fine if it is there.
  [[nodiscard]] Status make_folder(const std::filesystem::path& path) const;
  // A new file with these bytes, on the disk; what had its name is gone.
  [[nodiscard]] Status write_synced(const std::filesystem::path& path, std::string_view bytes) const;
  [[nodiscard]] Status rename(const std::filesystem::path& from, const std::filesystem::path& to) const;
  [[nodiscard]] Status remove(const std::filesystem::path& path) const;
  // Names in the folder are on the disk.
  [[nodiscard]] Status sync_folder(const std::filesystem::path& path) const;

  [[nodiscard]] static Result<std::string> read(const std::filesystem::path& path);

 private:
  // Whether there is room; else an error of a full disk.
  [[nodiscard]] Status pass(const DurableWrite& write) const;

  WriteGate* gate_;
};

// "cannot write 'path': No space left on device", with the remedy where there is one.
[[nodiscard]] Error disk_error(const char* what, const std::filesystem::path& path, int number);

// The folder's lock, held until the object goes; the system gives it back when the process dies.
class FolderLock {
 public:
  // Refused where another process holds it.
  [[nodiscard]] static Result<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace sotto::server
