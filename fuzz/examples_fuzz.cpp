// Labelled examples as a vault keeps them, on any bytes: the record's name to the first line's end, then the
// record.
// Laws checked: what is read can be kept, and written again is the same bytes.
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "device/kept_example.h"

namespace {

using namespace sotto::fuzz;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = all.find('\n');
  if (end == std::string_view::npos) return 0;
  const auto one = read_example(all.substr(0, end), all.substr(end + 1));
  if (!one) return 0;
  SOTTO_ASSERT(check(*one).ok(), "what is read can be kept");
  SOTTO_ASSERT(record_name(*one) == all.substr(0, end), "the name is the record's");
  SOTTO_ASSERT(encoded(*one) == all.substr(end + 1), "read is written");
  return 0;
}
