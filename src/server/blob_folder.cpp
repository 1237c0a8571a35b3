#include "server/blob_folder.h"

#include <fmt/format.h>
#include <sodium.h>

#include <optional>
#include <system_error>
#include <vector>

#include "fed/wire/signed_request.h"

namespace sotto::server {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t hash_bytes = crypto_generichash_BYTES;
constexpr const char* unfinished = "new-";

std::string hex_of(const std::string& hash) {
  std::string digits(hash.size() * 2 + 1, '\0');
  sodium_bin2hex(digits.data(), digits.size(), reinterpret_cast<const unsigned char*>(hash.data()),
                 hash.size());
  digits.pop_back();
  return digits;
}

std::optional<std::string> hash_of(const std::string& digits) {
  std::string hash(hash_bytes, '\0');
  std::size_t size = 0;
  const int code = sodium_hex2bin(reinterpret_cast<unsigned char*>(hash.data()), hash.size(), digits.data(),
                                  digits.size(), nullptr, &size, nullptr);
  if (code != 0 || size != hash_bytes || hex_of(hash) != digits) return std::nullopt;
  return hash;
}

Result<std::vector<fs::path>> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    found.push_back(entry->path());
  if (error) return disk_error("list", folder, error.value());
  return found;
}

}  // namespace

Status BlobFolder::open() {
  SOTTO_TRY_DONE(files_.make_folder(folder_));
  SOTTO_TRY(const std::vector<fs::path> found, entries(folder_));
  for (const fs::path& path : found)
    if (path.filename().string().starts_with(unfinished)) SOTTO_TRY_DONE(files_.remove(path));
  // A folder that is there may have been made by a process that died before its name was on the disk.
  return files_.sync_folder(folder_);
}

fs::path BlobFolder::path_of(const std::string& hash) const {
  const std::string digits = hex_of(hash);
  return folder_ / digits.substr(0, 2) / digits;
}

Result<std::string> BlobFolder::put(std::string_view bytes) {
  const std::string hash = blob_hash(bytes);
  const fs::path path = path_of(hash);
  // One that is there may have been renamed by a process that died before the folder was synced.
  if (const auto there = GatedFiles::read(path); there.ok() && *there == bytes) {
    SOTTO_TRY_DONE(files_.sync_folder(path.parent_path()));
    return hash;
  }
  SOTTO_TRY_DONE(files_.make_folder(path.parent_path()));
  const fs::path fresh = folder_ / fmt::format("{}{}", unfinished, made_++);
  Status done = files_.write_synced(fresh, bytes);
  if (done.ok()) done = files_.rename(fresh, path);
  if (done.ok()) done = files_.sync_folder(path.parent_path());
  if (done.ok()) return hash;
  static_cast<void>(files_.remove(fresh));  // room for others; else opening removes it
  return done.error();
}

Result<std::string> BlobFolder::get(const std::string& hash) const {
  if (hash.size() != hash_bytes) return fail(Code::not_found, "a blob's name is a hash of 32 bytes");
  const fs::path path = path_of(hash);
  SOTTO_TRY(std::string bytes, GatedFiles::read(path));
  if (blob_hash(bytes) != hash)
    return fail(Code::bad_input, fmt::format("'{}' is not what its name says, the disk changed it: put back "
                                             "its last copy",
                                             path.string()));
  return bytes;
}

bool BlobFolder::has(const std::string& hash) const {
  std::error_code unknown;
  return hash.size() == hash_bytes && fs::is_regular_file(path_of(hash), unknown);
}

Status BlobFolder::sweep(const std::function<bool(const std::string& hash)>& is_kept) {
  SOTTO_TRY(const std::vector<fs::path> folders, entries(folder_));
  for (const fs::path& folder : folders) {
    std::error_code unknown;
    if (!fs::is_directory(folder, unknown)) continue;
    SOTTO_TRY(const std::vector<fs::path> files, entries(folder));
    for (const fs::path& file : files) {
      const auto hash = hash_of(file.filename().string());
      if (hash && !is_kept(*hash)) SOTTO_TRY_DONE(files_.remove(file));
    }
  }
  return Done{};
}

}  // namespace sotto::server
