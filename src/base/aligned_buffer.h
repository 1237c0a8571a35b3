// A plain array of numbers that starts on a cache line, so that a vector never straddles two.
// It is not initialised: who reads what was never written has a bug.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace sotto {

inline constexpr std::size_t cache_line_bytes = 64;

template <class T>
requires std::is_arithmetic_v<T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : size_(size),
        data_(static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{cache_line_bytes}))) {}
  AlignedBuffer(const AlignedBuffer& other) : AlignedBuffer(other.size_) { take_from(other); }
  AlignedBuffer& operator=(const AlignedBuffer& other) { return *this = AlignedBuffer(other); }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : size_(std::exchange(other.size_, 0)), data_(std::move(other.data_)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    data_ = std::move(other.data_);
    return *this;
  }
  ~AlignedBuffer() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }

  // At least `size` numbers; those that were there stay.
  void grow(std::size_t size) {
    if (size <= size_) return;
    AlignedBuffer larger(size);
    larger.take_from(*this);
    *this = std::move(larger);
  }

 private:
  void take_from(const AlignedBuffer& other) {
    if (other.size_ > 0) std::memcpy(data_.get(), other.data_.get(), other.size_ * sizeof(T));
  }
  struct Free {
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{cache_line_bytes}); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<T, Free> data_;
};

}  // namespace sotto
