#include "base/compression.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>

#include "base/assert.h"

namespace sotto::base {
namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Error zstd_error(std::size_t code, std::size_t position, const DecompressLimits& limits) {
  if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
    return fail(
        Code::bad_input,
        fmt::format("the zstd stream needs a window over 2^{} bytes; compress it again without --long",
                    limits.window_log));
  return fail(Code::bad_input, fmt::format("the zstd stream is corrupt near byte {} ({}); get the file again",
                                           position, ZSTD_getErrorName(code)));
}

Error truncated(std::size_t size) {
  return fail(Code::bad_input, fmt::format("the zstd stream is truncated: it ends after {} bytes, in the "
                                           "middle of a frame; get the file again",
                                           size));
}

}  // namespace

bool looks_like_zstd(std::span<const std::byte> data) {
  constexpr std::uint32_t frame = 0xFD2FB528u;      // RFC 8878, 3.1.1
  constexpr std::uint32_t skippable = 0x184D2A50u;  // the last four bits are free
  if (data.size() < sizeof(frame)) return false;
  std::uint32_t magic = 0;
  std::memcpy(&magic, data.data(), sizeof(magic));
  return magic == frame || (magic & 0xFFFFFFF0u) == skippable;
}

Bytes compress(std::span<const std::byte> plain, int level) {
  Bytes packed(ZSTD_compressBound(plain.size()));
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), level);
  SOTTO_ASSERT(ZSTD_isError(size) == 0, "zstd compresses into a buffer of its own bound");
  packed.resize(size);
  return packed;
}

Result<Bytes> decompress(std::span<const std::byte> packed, const DecompressLimits& limits) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  SOTTO_ASSERT(context != nullptr, "zstd has memory for a context");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, limits.window_log);

  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  Bytes out;
  std::uint64_t written = 0;
  std::size_t wanted = 1;  // 0 when a frame is whole
  bool flushing = false;   // zstd filled the buffer and may hold more
  while (in.pos < in.size || flushing) {
    // One byte over the limit is enough to see that the stream is too long.
    const std::uint64_t room = std::max<std::uint64_t>(ZSTD_DStreamOutSize(), written * 2);
    out.resize(std::min(room, limits.max_bytes) + 1);
    ZSTD_outBuffer buffer{out.data(), out.size(), written};
    wanted = ZSTD_decompressStream(context.get(), &buffer, &in);
    if (ZSTD_isError(wanted) != 0) return zstd_error(wanted, in.pos, limits);
    written = buffer.pos;
    if (written > limits.max_bytes)
      return fail(
          Code::bad_input,
          fmt::format("the zstd stream unpacks to more than the {} bytes allowed here", limits.max_bytes));
    flushing = wanted != 0 && written == out.size();
  }
  if (wanted != 0) return truncated(packed.size());
  out.resize(written);
  return out;
}

struct Unpacker::Context {
  std::unique_ptr<ZSTD_DCtx, FreeContext> zstd{ZSTD_createDCtx()};
  DecompressLimits limits;
  std::uint64_t taken = 0;
  std::size_t wanted = 1;  // 0 when a frame is whole
};

Unpacker::Unpacker(const DecompressLimits& limits) : context_(std::make_unique<Context>()) {
  SOTTO_ASSERT(context_->zstd != nullptr, "zstd has memory for a context");
  context_->limits = limits;
  ZSTD_DCtx_setParameter(context_->zstd.get(), ZSTD_d_windowLogMax, limits.window_log);
}

Unpacker::Unpacker(Unpacker&& other) noexcept = default;
Unpacker::~Unpacker() = default;

Result<std::size_t> Unpacker::unpack(std::span<const std::byte>& packed, std::span<std::byte> plain) {
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  ZSTD_outBuffer out{plain.data(), plain.size(), 0};
  do {
    const std::size_t before = in.pos;
    const std::size_t wanted = ZSTD_decompressStream(context_->zstd.get(), &out, &in);
    if (ZSTD_isError(wanted) != 0)
      return zstd_error(wanted, static_cast<std::size_t>(context_->taken + in.pos), context_->limits);
    // Between two frames a call without input begins the next one: it asks for more, and nothing is cut.
    if (in.pos > before || out.pos > 0) context_->wanted = wanted;
  } while (out.pos == 0 && in.pos < in.size);
  context_->taken += in.pos;
  packed = packed.subspan(in.pos);
  return out.pos;
}

Status Unpacker::finish() const {
  if (context_->wanted != 0) return truncated(static_cast<std::size_t>(context_->taken));
  return Done{};
}

}  // namespace sotto::base
