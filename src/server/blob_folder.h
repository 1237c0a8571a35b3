// BlobFolder: bytes by their hash, one file each: blobs/ab/ab…, hexadecimal.
//
// Laws: a blob appears whole and on the disk or not at all; what is read is what its name says; what a crash
// left half-made is removed at opening. Names from outside are hashes or nothing: no path is made of them.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/gated_files.h"

namespace sotto::server {

class BlobFolder {
 public:
  // The folder is made if there is none, in one that is there.
  BlobFolder(std::filesystem::path folder, WriteGate* gate) : folder_(std::move(folder)), files_(gate) {}
  [[nodiscard]] Status open();

  // Its hash.
  [[nodiscard]] Result<std::string> put(std::string_view bytes);
  [[nodiscard]] Result<std::string> get(const std::string& hash) const;
  [[nodiscard]] bool has(const std::string& hash) const;
  // Removes those that `is_kept` does not want.
  [[nodiscard]] Status sweep(const std::function<bool(const std::string& hash)>& is_kept);

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::string& hash) const;

  std::filesystem::path folder_;
  GatedFiles files_;
  std::atomic<std::uint64_t> made_{0};  // temporary files, so that two at once have two names
};

}  // namespace sotto::server
