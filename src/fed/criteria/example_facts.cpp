#include "fed/criteria/example_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace sotto {

Status check(const ExampleFactsOptions& options, std::size_t devices) {
  if (!options.trust.empty() && options.trust.size() != devices)
    return fail(Code::bad_input, fmt::format("{} numbers of trust for {} devices; give one a device",
                                             options.trust.size(), devices));
  for (std::size_t n = 0; n < options.trust.size(); ++n)
    if (!(options.trust[n] >= 0.0 && options.trust[n] <= 1.0))
      return fail(Code::bad_input,
                  fmt::format("trust number {} is {}; give numbers from 0 to 1", n + 1, options.trust[n]));
  return Done{};
}

ExampleFacts::ExampleFacts(const Examples& examples, const Dealt& dealt, ExampleFactsOptions options)
    : examples_(examples), dealt_(dealt), options_(std::move(options)), met_at_(dealt.devices(), 0) {
  SOTTO_ASSERT(check(options_, dealt.devices()).ok(), "facts are made with options that were checked");
  if (options_.most_records != 0) return;
  for (std::uint32_t device = 0; device < dealt.devices(); ++device)
    options_.most_records = std::max<std::uint64_t>(options_.most_records, dealt.of({device}).train.size());
}

DeviceFacts ExampleFacts::of(UserIndex device) const {
  const std::vector<std::uint32_t>& held = dealt_.of(device).train;
  DeviceFacts facts;
  facts.records = held.size();
  facts.most_records = options_.most_records;
  facts.of_class.assign(examples_.classes, 0);
  for (const std::uint32_t example : held) {
    ++facts.of_class[examples_.labels[example]];
    if (!examples_.marks.empty()) facts.marked += examples_.marks[example];
  }
  facts.rounds_since = rounds_ - met_at_[device.value];
  if (!options_.trust.empty()) facts.trust = options_.trust[device.value];
  return facts;
}

void ExampleFacts::note_round(std::uint32_t round, std::span<const UserIndex> cohort) {
  SOTTO_ASSERT(round >= rounds_, "rounds are noted in their order");
  rounds_ = round + 1;
  for (const UserIndex device : cohort) met_at_[device.value] = rounds_;
}

}  // namespace sotto
