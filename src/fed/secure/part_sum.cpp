#include "fed/secure/part_sum.h"

#include <cstring>

#include "fed/secure/refusals.h"

namespace sotto::fed {

void PartMessage::write(Writer& out) const {
  out.number(session).number(aggregator).array(std::span(std::as_const(part)));
}
Result<PartMessage> PartMessage::read(Reader& in) {
  PartMessage message;
  message.session = in.number<std::uint64_t>();
  message.aggregator = in.number<std::uint32_t>();
  message.part = in.array<std::byte>();
  if (in.spoiled()) return fail(Code::bad_input, "message refused: it ends too early");
  return message;
}

Result<std::vector<PartMessage>> split_input(const PartShape& shape, std::span<const std::int32_t> input,
                                             const Secret& entropy) {
  SOTTO_TRY_DONE(check_input(input, shape.entries, shape.range.limit));
  std::vector<PartMessage> parts;
  RingValues rest(input.size(), shape.range.bits);
  rest.add(input);
  for (std::uint32_t other = 1; other < shape.aggregators; ++other) {
    const Secret seed = entropy.derive("part", other);
    rest.subtract_mask(seed);
    PartMessage part{shape.session, other, Bytes(seed.on_device().size())};
    std::memcpy(part.part.data(), seed.on_device().data(), part.part.size());
    parts.push_back(std::move(part));
  }
  parts.push_back({shape.session, 0, rest.packed()});
  return parts;
}

PartAggregator::PartAggregator(const PartShape& shape, std::uint32_t number)
    : shape_(shape),
      number_(number),
      heard_(shape.devices),
      seeds_(number == 0 ? 0 : shape.devices),
      sum_(shape.entries, shape.range.bits) {}

Status PartAggregator::receive(std::uint32_t from, const PartMessage& message) {
  if (released_) return sum_refused("a part after the sum");
  if (message.session != shape_.session) return sum_refused("a message of another session");
  if (message.aggregator != number_) return sum_refused("a part for another aggregator");
  if (from >= shape_.devices) return sum_refused("a part of a device outside the cohort");
  if (heard_.has(from)) return sum_refused("a repeated message");
  if (number_ == 0) {
    if (!sum_.is_packed(message.part)) return sum_refused("an input that is not as long as the sum");
    sum_.add_packed(message.part);
  } else {
    Bytes32& seed = seeds_[from].on_device();
    if (message.part.size() != seed.size()) return sum_refused("a part that is no seed");
    std::memcpy(seed.data(), message.part.data(), seed.size());
  }
  heard_.insert(from);
  return Done{};
}

Result<Bytes> PartAggregator::release(const DeviceSet& survivors) && {
  if (std::exchange(released_, true)) return sum_refused("a sum is released once");
  if (survivors.devices() != shape_.devices || survivors.size() < shape_.least_survivors)
    return sum_refused("fewer survivors than the plan allows");
  if (number_ == 0) {
    if (!(survivors == heard_)) return sum_refused("the survivors are not those whose parts came");
    return sum_.packed();
  }
  for (std::uint32_t device = 0; device < shape_.devices; ++device) {
    if (!survivors.has(device)) continue;
    if (!heard_.has(device)) return sum_refused("a survivor's part is missing: the parts would not add up");
    sum_.add_mask(seeds_[device]);
  }
  seeds_.clear();
  return sum_.packed();
}

Result<std::vector<std::int64_t>> join_parts(const PartShape& shape, std::uint32_t survivors,
                                             std::span<const Bytes> sums) {
  if (sums.size() != shape.aggregators) return sum_refused("not one sum of each aggregator");
  RingValues total(shape.entries, shape.range.bits);
  for (const Bytes& sum : sums) {
    if (!total.is_packed(sum)) return sum_refused("an aggregator's sum of another length");
    total.add_packed(sum);
  }
  auto values = total.values();
  if (!in_range(values, shape.range.limit, survivors))
    return sum_refused("the parts do not add up: the total is out of range");
  return values;
}

Result<SumOutcome> PartSum::sum(const SumTask& task) {
  PartShape shape{.session = task.session,
                  .devices = static_cast<std::uint32_t>(task.members.size()),
                  .aggregators = aggregators_,
                  .least_survivors = least_,
                  .entries = task.entries,
                  .range = {}};
  if (aggregators_ < 2) return fail(Code::usage, "parts need at least two aggregators");
  SOTTO_TRY(shape.range, plan_range(shape.devices, task.limit, bits_));
  std::vector<PartAggregator> aggregators;
  for (std::uint32_t n = 0; n < aggregators_; ++n) aggregators.emplace_back(shape, n);
  SumOutcome outcome;
  using Parts = std::vector<PartMessage>;
  const auto make = [&](std::uint32_t place, Parts& parts) -> Status {
    if (task.fates[place] <= Fate::input) return Done{};
    std::vector<std::int32_t> input(task.entries, 0);
    SOTTO_TRY_DONE(task.input(place, input));
    const Secret entropy(simulated_key(seed_, "part entropy", task.session, task.members[place]));
    SOTTO_TRY(parts, split_input(shape, input, entropy));
    return Done{};
  };
  const auto take = [&](std::uint32_t place, const Parts& parts) -> Status {
    for (const PartMessage& part : parts) {
      Bytes sent = encode(part);
      outcome.traffic.up += sent.size();
      const auto got = decode<PartMessage>(sent);
      wipe(sent);
      if (!got.ok()) return got.error();
      SOTTO_TRY_DONE(aggregators[got->aggregator].receive(place, *got));
    }
    return Done{};
  };
  SOTTO_TRY_DONE(in_batches<Parts>(executor_, task.members.size(), make, take));
  outcome.survivors = aggregators[0].heard();
  std::vector<Bytes> sums;
  for (PartAggregator& one : aggregators) {
    SOTTO_TRY(Bytes released, std::move(one).release(outcome.survivors));
    sums.push_back(std::move(released));
  }
  SOTTO_TRY(outcome.values, join_parts(shape, outcome.survivors.size(), sums));
  return outcome;
}

}  // namespace sotto::fed
