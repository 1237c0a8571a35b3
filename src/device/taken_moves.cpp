#include "device/taken_moves.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "device/own_file.h"

namespace sotto::device {

namespace {

// None where somebody died before it was whole, and so before it counted.
std::optional<Bytes32> kept_taker(const OwnFile& file) {
  Bytes32 taker{};
  if (::pread(file.number(), taker.data(), taker.size(), 0) != static_cast<ssize_t>(taker.size()))
    return std::nullopt;
  return taker;
}

}  // namespace

std::string TakenMoves::path_of(const MoveId& move) const {
  std::string name;
  for (const std::uint8_t byte : move) name += fmt::format("{:02x}", byte);
  return folder_ + "/" + name;
}

Result<std::optional<Bytes32>> TakenMoves::taker(const MoveId& move) const {
  const std::string path = path_of(move);
  const OwnFile file(path, O_RDONLY);
  if (!file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return std::optional<Bytes32>();
  if (!file.is_open()) return file_refused("read", path, errno);
  return kept_taker(file);
}

Status TakenMoves::take(const MoveId& move, const Bytes32& taker) const {
  std::error_code made;
  std::filesystem::create_directories(folder_, made);
  if (made) return file_refused("make the folder", folder_, made.value());
  const std::string path = path_of(move);
  const OwnFile file(path, O_RDWR | O_CREAT);
  if (!file.is_open() || ::flock(file.number(), LOCK_EX) != 0) return file_refused("write", path, errno);
  const std::optional<Bytes32> other = kept_taker(file);
  if (other && !same_bytes(*other, taker))
    return fail(Code::usage, "another folder of this machine has taken this file in meanwhile");
  if (!file.write_all({reinterpret_cast<const char*>(taker.data()), taker.size()}))
    return file_refused("write", path, errno);
  sync_folder_of(path);
  return Done{};
}

}  // namespace sotto::device
