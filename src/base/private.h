// Private<T>: something that belongs to one person and stays on their device.
//
// Law: there is no encoder, printer or hash for it, and none can be added by accident: the wire's
// encode() takes only types that declare themselves messages, and this one cannot. Code on the
// device opens it with on_device(), which is easy to search for in review.
#pragma once

#include <utility>

#include "base/layers.h"

namespace sotto::base {

template <class T>
class Private {
 public:
  Private() = default;
  explicit Private(T value) : value_(std::move(value)) {}

  [[nodiscard]] T& on_device() { return value_; }
  [[nodiscard]] const T& on_device() const { return value_; }

 private:
  T value_{};
};

}  // namespace sotto::base
