#include "data/examples/dealt_examples.h"

#include "base/hash.h"

namespace sotto::data {

ExampleCounts counts_of(const Dealt& dealt) {
  ExampleCounts counts;
  for (std::uint32_t device = 0; device < dealt.devices(); ++device) {
    const Dealt::Hand& hand = dealt.of({device});
    counts.train += hand.train.size();
    counts.validation += hand.validation.size();
    counts.test += hand.test.size();
    counts.without_test += hand.test.empty() ? 1 : 0;
  }
  return counts;
}

Split split_of_devices(std::size_t devices, std::string hash) {
  Split split;
  for (std::size_t device = 0; device < devices; ++device) split.users.intern(std::to_string(device));
  for (Histories* part : {&split.train, &split.validation, &split.test}) *part = Histories(devices);
  split.hash = std::move(hash);
  return split;
}

Split split_of(std::shared_ptr<const DealtExamples> dealt) {
  const Examples& examples = *dealt->examples;
  Hasher hasher;
  hasher.u64(examples.height).u64(examples.width).u64(examples.classes);
  for (const auto* numbers : {&examples.values, &examples.labels, &examples.marks})
    hasher.u64(numbers->size()).array(std::span(*numbers));
  for (std::uint32_t device = 0; device < dealt->dealt.devices(); ++device) {
    const Dealt::Hand& hand = dealt->dealt.of({device});
    for (const auto* part : {&hand.train, &hand.validation, &hand.test})
      hasher.u64(part->size()).array(std::span(*part));
  }
  Split split = split_of_devices(dealt->dealt.devices(), std::move(hasher).hex());
  split.examples = std::move(dealt);
  return split;
}

}  // namespace sotto::data
