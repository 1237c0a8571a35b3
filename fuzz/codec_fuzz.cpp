// The codec on any bytes: the first byte of each step chooses what is read next.
// Laws checked: what was read is written back to the same bytes; a spoiled reader stays spoiled.
#include <algorithm>
#include <cstdint>

#include "base/assert.h"
#include "base/codec.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

template <class T>
void number(Reader& in, Writer& out) {
  out.number(in.number<T>());
}
template <class T>
void array(Reader& in, Writer& out) {
  out.array(std::span<const T>(in.array<T>()));
}

void step(std::uint8_t kind, Reader& in, Writer& out) {
  switch (kind % 8) {
    case 0:
      return number<std::uint8_t>(in, out);
    case 1:
      return number<std::uint64_t>(in, out);
    case 2:
      return number<float>(in, out);
    case 3:
      return number<bool>(in, out);
    case 4:
      return array<std::uint8_t>(in, out);
    case 5:
      return array<std::uint32_t>(in, out);
    case 6:
      return array<double>(in, out);
    default:
      out.text(in.text());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  Reader in(input);
  Writer out;
  while (!in.spoiled() && in.remaining() > 0) {
    const std::size_t whole = out.size();
    const auto kind = in.number<std::uint8_t>();
    out.number(kind);
    step(kind, in, out);
    if (in.spoiled()) {
      SOTTO_ASSERT(!in.finished() && in.raw(0).empty() && in.remaining() == 0,
                   "a spoiled reader stays spoiled");
      SOTTO_ASSERT(std::equal(out.view().begin(), out.view().begin() + static_cast<std::ptrdiff_t>(whole),
                              input.begin()),
                   "what was read before comes back");
      return 0;
    }
  }
  SOTTO_ASSERT(std::ranges::equal(out.view(), input), "what was read is written back to the same bytes");
  return 0;
}
