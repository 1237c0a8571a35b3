// zstd on any bytes, as a stream and as content.
// Laws checked: the limits hold; decompress(compress(x)) == x.
#include <algorithm>
#include <cstdint>

#include "base/assert.h"
#include "base/compression.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  constexpr std::uint64_t limit = 1 << 20;
  const auto unpacked = decompress(input, {.max_bytes = limit, .window_log = 20});
  if (unpacked.ok())
    SOTTO_ASSERT(unpacked->size() <= limit, "the output stays within the limit");
  else
    SOTTO_ASSERT(unpacked.error().code == Code::bad_input && !unpacked.error().message.empty(),
                 "a bad stream is an error with a sentence");
  if (!input.empty() && !looks_like_zstd(input))
    SOTTO_ASSERT(!unpacked.ok(), "what does not look like zstd does not unpack");
  const auto back = decompress(compress(input, 1));
  SOTTO_ASSERT(back.ok() && std::ranges::equal(*back, input), "decompress undoes compress");
  return 0;
}
