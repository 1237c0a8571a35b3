// The readers of records and contexts on any bytes.
// Law checked: what loads is saved to the same bytes again; what does not is bad input.
#include <algorithm>
#include <cstdint>

#include "base/assert.h"
#include "data/records_io.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

template <class Loaded, class Save>
void check(const Result<Loaded>& loaded, std::span<const std::byte> bytes, Save save) {
  if (!loaded.ok()) {
    SOTTO_ASSERT(loaded.error().code == Code::bad_input, "bad bytes are bad input");
    return;
  }
  const Bytes again = save(*loaded);
  SOTTO_ASSERT(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "saved to the same bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check(load_records(bytes, "records"), bytes, save_records);
  check(load_contexts(bytes, "contexts"), bytes, save_contexts);
  return 0;
}
