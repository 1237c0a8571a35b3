// OwnFile: a file of the device's own, for its owner's eyes, closed when this goes. And what makes names
// last.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sotto::device {

class OwnFile {
 public:
  // Flags as of open(2); a new file is 0600.
  OwnFile(const std::string& path, int flags);
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  ~OwnFile();

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  // From its beginning, and on the disk. errno says what went wrong, as below.
  [[nodiscard]] bool write_all(std::string_view text) const;
  [[nodiscard]] bool append(std::span<const std::byte> bytes) const;

 private:
  int number_;
};

// Names made, changed and removed in the folder of `path` survive a power cut. Some file systems cannot.
void sync_folder_of(const std::string& path);

// "cannot read the key file 'x': no such file or directory".
[[nodiscard]] Error file_refused(const char* doing, const std::string& path, int error_number);

}  // namespace sotto::device
