#include "fed/criteria/example_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/assert.h"
#include "fed/criteria/novelty.h"
#include "fed/criteria/quality.h"
#include "fed/criteria/trust.h"

namespace sotto::fed {

bool examples_tell(Criterion criterion) {
  return criterion != &novelty_criterion && criterion != &trust_criterion;
}

std::vector<Criterion> example_criteria() {
  std::vector<Criterion> told;
  std::ranges::copy_if(all_criteria(), std::back_inserter(told), examples_tell);
  return told;
}

Status check_measurable(const CriteriaOrder& order) {
  for (const Criterion criterion : order)
    if (!examples_tell(criterion))
      return fail(Code::usage,
                  fmt::format("labelled examples do not tell {} ({}): leave it out of --criteria; "
                              "recommenders alone have it",
                              criterion->name, criterion->about));
  return Done{};
}

Status check_measurable(const CriteriaOrder& order, const Examples& examples) {
  SOTTO_TRY_DONE(check_measurable(order));
  if (examples.marks.empty() && std::ranges::find(order, &quality_criterion) != order.end())
    return fail(Code::usage,
                "nothing says which of these examples have the quality that the criterion quality asks for: "
                "leave it out of --criteria, or take CelebA's, which say what is blurred");
  return Done{};
}

ExampleFacts::ExampleFacts(const Examples& examples, const Dealt& dealt, std::uint64_t most_records)
    : examples_(examples), dealt_(dealt), most_records_(most_records), met_at_(dealt.devices(), 0) {
  if (most_records > 0) return;
  for (std::uint32_t device = 0; device < dealt.devices(); ++device)
    most_records_ = std::max<std::uint64_t>(most_records_, dealt.of({device}).train.size());
}

DeviceFacts ExampleFacts::of(UserIndex device) const {
  const std::vector<std::uint32_t>& held = dealt_.of(device).train;
  DeviceFacts facts;
  facts.records = held.size();
  facts.most_records = most_records_;
  facts.of_class.assign(examples_.classes, 0);
  for (const std::uint32_t example : held) {
    ++facts.of_class[examples_.labels[example]];
    if (!examples_.marks.empty()) facts.marked += examples_.marks[example];
  }
  facts.rounds_since = rounds_ - met_at_[device.value];
  return facts;
}

void ExampleFacts::note_round(std::uint32_t round, std::span<const UserIndex> cohort) {
  SOTTO_ASSERT(round >= rounds_, "rounds are noted in their order");
  rounds_ = round + 1;
  for (const UserIndex device : cohort) met_at_[device.value] = rounds_;
}

}  // namespace sotto::fed
