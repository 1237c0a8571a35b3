// What the files of this layer share: a descriptor of the system, and the sentence for its errors.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace sotto::engine {

// "cannot read 'path': No such file or directory".
[[nodiscard]] Error system_error(const char* what, const std::filesystem::path& path, int number);

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace sotto::engine
