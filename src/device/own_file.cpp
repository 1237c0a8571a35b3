#include "device/own_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace sotto::device {

OwnFile::OwnFile(const std::string& path, int flags)
    : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}

OwnFile::~OwnFile() {
  if (number_ >= 0) ::close(number_);
}

bool OwnFile::write_all(std::string_view text) const {
  return ::pwrite(number_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         ::fsync(number_) == 0;
}

bool OwnFile::append(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const OwnFile opened(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
  if (opened.is_open()) ::fsync(opened.number());
}

Error file_refused(const char* doing, const std::string& path, int error_number) {
  return fail(error_number == ENOENT ? Code::not_found : Code::io,
              fmt::format("cannot {} '{}': {}", doing, path, std::generic_category().message(error_number)));
}

}  // namespace sotto::device
