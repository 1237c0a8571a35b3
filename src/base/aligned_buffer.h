// A plain array of numbers that starts on a cache line, so that a vector never straddles two.
// It is not initialised: who reads what was never written has a bug. Its memory is the heap's, or that of
// the Storage it is given; a copy is always on the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/storage.h"

namespace sotto::base {

template <class T>
requires std::is_arithmetic_v<T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : size_(size), block_(Storage::from_heap(bytes_of(size))), data_(reinterpret_cast<T*>(block_.get())) {}
  AlignedBuffer(std::size_t size, Storage& storage)
      : size_(size), block_(storage.take(bytes_of(size))), data_(reinterpret_cast<T*>(block_.get())) {}
  AlignedBuffer(const AlignedBuffer& other) : AlignedBuffer(other.size_) { take_from(other); }
  AlignedBuffer& operator=(const AlignedBuffer& other) { return *this = AlignedBuffer(other); }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : size_(std::exchange(other.size_, 0)),
        block_(std::move(other.block_)),
        data_(std::exchange(other.data_, nullptr)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    block_ = std::move(other.block_);
    data_ = std::exchange(other.data_, nullptr);
    return *this;
  }
  ~AlignedBuffer() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }

  // At least `size` numbers; those that were there stay.
  void grow(std::size_t size) {
    if (size <= size_) return;
    AlignedBuffer larger(size);
    larger.take_from(*this);
    *this = std::move(larger);
  }

 private:
  void take_from(const AlignedBuffer& other) {
    if (other.size_ > 0) std::memcpy(data_, other.data_, other.size_ * sizeof(T));
  }
  // A size whose bytes no memory could hold is one that no memory could give.
  static std::size_t bytes_of(std::size_t size) {
    if (size > PTRDIFF_MAX / sizeof(T)) throw std::bad_array_new_length();
    return size * sizeof(T);
  }

  std::size_t size_ = 0;
  Storage::Block block_;
  T* data_ = nullptr;
};

}  // namespace sotto::base
