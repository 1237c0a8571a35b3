// Bytes that several may look at: a file that was read, or one that is mapped. And the way bytes go out
// piece by piece.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "base/codec.h"
#include "base/result.h"

namespace sotto::base {

// Law: the bytes stay as they are while `owner` lives; they begin on a multiple of 16.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  [[nodiscard]] static SharedBytes of(Bytes bytes) {
    const auto owner = std::make_shared<const Bytes>(std::move(bytes));
    return {*owner, owner};
  }
};

// Takes the next piece; after a failure no more come.
using ByteSink = std::function<Status(std::span<const std::byte>)>;

}  // namespace sotto::base
