// Packed contributions on any bytes, in both forms.
// Laws checked: what unpacks lies within the limits, and packs and unpacks to itself; every refusal has a
// sentence.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/assert.h"
#include "fed/wire/packed_contribution.h"

namespace {

using namespace sotto::fuzz;

void unpack_any(std::string_view packed, bool alike) {
  const ContributionLimits limits{.catalogue = 100, .width = 3, .most_rows = 50, .alike = alike};
  const auto message = unpack_contribution(packed, limits);
  if (!message.ok()) {
    SOTTO_ASSERT(!message.error().message.empty(), "a refusal has a sentence");
    return;
  }
  const Contribution& contribution = message->contribution;
  SOTTO_ASSERT(contribution.size() <= limits.most_rows && contribution.width() == limits.width,
               "a contribution has the task's shape");
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    SOTTO_ASSERT(contribution.row(n) < limits.catalogue, "rows are the model's");
    for (std::size_t k = 0; k < contribution.width(); ++k) {
      SOTTO_ASSERT(std::abs(contribution.values(n)[k]) <= fixed_limit, "values are in range");
      SOTTO_ASSERT(!alike || contribution.values(n)[k] == contribution.values(0)[k], "rows are alike");
    }
  }
  const auto again = unpack_contribution(pack_contribution(*message, alike), limits);
  SOTTO_ASSERT(again.ok() && encode(*again) == encode(*message), "packing loses nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool alike : {false, true}) unpack_any({reinterpret_cast<const char*>(data), size}, alike);
  return 0;
}
