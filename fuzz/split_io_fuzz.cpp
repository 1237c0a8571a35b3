// The reader of saved splits on any bytes, as they are and behind a right head and checksum (which no
// fuzzer would guess).
// Laws checked: what loads obeys Split's laws and is saved to the same bytes again.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "base/hash.h"
#include "data/split_io.h"
#include "data/split_parts.h"

namespace {

void check(std::span<const std::byte> bytes) {
  const auto split = sotto::load_split(bytes, "split");
  if (!split.ok()) {
    SOTTO_ASSERT(
        split.error().code == sotto::Code::bad_input || split.error().code == sotto::Code::incompatible,
        "bad bytes are bad input");
    return;
  }
  SOTTO_ASSERT(sotto::check_laws(*split).ok(), "what loads is lawful");
  const sotto::Bytes again = sotto::save_split(*split);
  SOTTO_ASSERT(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "saved to the same bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check(bytes);
  sotto::Writer writer;
  const std::string_view head = "sotto-split\n";
  writer.raw(std::as_bytes(std::span(head))).number(std::uint32_t{1}).raw(bytes);
  sotto::Hasher hasher;
  hasher.bytes(writer.view());
  const std::string sum = std::move(hasher).hex();
  writer.raw(std::as_bytes(std::span(sum)));
  check(writer.view());
  return 0;
}
