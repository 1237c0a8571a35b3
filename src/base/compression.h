// Whole buffers in and out of zstd, with bounds, for data that somebody else wrote.
//
// Laws: memory grows with what the stream really holds, never with what its header promises, and never
// past the limits; several frames one after another unpack to their contents one after another; a
// stream that ends early or does not unpack is an error that says which (Code::bad_input).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/codec.h"
#include "base/result.h"

namespace sotto::base {

struct DecompressLimits {
  std::uint64_t max_bytes = std::uint64_t{1} << 34;  // of output
  int window_log = 27;                               // 128 MiB: what `zstd` writes without --long or --ultra
};

// True when the data begins like a zstd frame (or a frame to skip).
[[nodiscard]] bool looks_like_zstd(std::span<const std::byte> data);

[[nodiscard]] Bytes compress(std::span<const std::byte> plain, int level = 3);
[[nodiscard]] Result<Bytes> decompress(std::span<const std::byte> packed,
                                       const DecompressLimits& limits = {});

// The same piece by piece, for streams that memory does not hold. Only the window is bounded here.
class Unpacker {
 public:
  explicit Unpacker(const DecompressLimits& limits = {});
  Unpacker(Unpacker&& other) noexcept;
  Unpacker& operator=(Unpacker&&) = delete;
  ~Unpacker();

  // Takes bytes from the front of `packed` and fills the front of `plain`; says how much it filled. 0 while
  // `packed` is empty: it wants more.
  [[nodiscard]] Result<std::size_t> unpack(std::span<const std::byte>& packed, std::span<std::byte> plain);
  // Fails if the stream may not end here.
  [[nodiscard]] Status finish() const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace sotto::base
