// Files as memory: read without being copied, or used as memory that the system may move to the disk.
//
// A mapped file that is cut short while it is in use ends in a signal (SIGBUS), not in an error code: while
// a MappingGuard lives, that signal writes one sentence that names the file and ends the program with code
// 1. Without a guard, or at any other address, it does what it always did.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "base/shared_bytes.h"
#include "base/storage.h"

namespace sotto::engine {

// The file's bytes as they are on the disk. Whoever replaces the file by another of its name does not
// disturb it; whoever writes into it does.
[[nodiscard]] Result<SharedBytes> map_file(const std::filesystem::path& path);

// Memory in a file of `folder` that has no name and is gone with the program. All of it is there from the
// start: a full disk is an error here and nowhere later.
class ScratchStorage final : public Storage {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ScratchStorage>> make(const std::filesystem::path& folder,
                                                                    std::uint64_t bytes);
  ScratchStorage(const ScratchStorage&) = delete;
  ScratchStorage& operator=(const ScratchStorage&) = delete;
  ~ScratchStorage() override;

  // Memory of the heap once the file is used up.
  [[nodiscard]] Block take(std::size_t bytes) override;

 private:
  ScratchStorage(std::byte* begin, std::size_t bytes, std::shared_ptr<const void> mapping)
      : next_(begin), left_(bytes), mapping_(std::move(mapping)) {}

  std::byte* next_;
  std::size_t left_;
  std::shared_ptr<const void> mapping_;
};

// One at a time.
class MappingGuard {
 public:
  MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  ~MappingGuard();

 private:
  struct sigaction before_ {};
};

}  // namespace sotto::engine
