#include "fed/secure/product_sum.h"

#include <algorithm>
#include <cstring>

#include "fed/secure/refusals.h"

namespace sotto::fed {

namespace {

constexpr std::size_t tile = 64;      // columns of the triangle that stay in registers
constexpr std::size_t together = 64;  // devices that are multiplied at a time

std::size_t triangle_of(std::size_t numbers) { return numbers * (numbers + 1) / 2; }

// Both parts of some devices, as words: device d's number i of a part at d · stride + i.
template <class Word>
struct OpenParts {
  std::size_t numbers, stride;
  std::array<std::vector<Word>, 2> x, y;

  explicit OpenParts(std::size_t count) : numbers(count), stride((count + tile - 1) / tile * tile) {
    for (auto* side : {&x, &y})
      for (auto& part : *side) part.assign(together * stride, 0);
  }
};

template <class Word>
void put(const RingValues& values, std::size_t first, std::size_t count, Word* out) {
  for (std::size_t n = 0; n < count; ++n) out[n] = static_cast<Word>(values.value(first + n));
}

// Adds Σ_d y_d[row] x_d[columns] of both parts to the row's sums.
template <class Word>
void multiply_row(const OpenParts<Word>& parts, std::size_t devices, std::size_t row, std::size_t first,
                  std::span<Word, tile> sums) {
  for (std::size_t d = 0; d < devices; ++d) {
    const std::size_t at = d * parts.stride;
    const Word own = parts.y[0][at + row], next = parts.y[1][at + row];
    const Word* x = parts.x[0].data() + at + first;
    const Word* other = parts.x[1].data() + at + first;
    // In the ring: of shorter words the products are cut to their length.
    for (std::size_t c = 0; c < tile; ++c)
      sums[c] = static_cast<Word>(sums[c] + std::uint64_t{own} * static_cast<Word>(x[c] + other[c]) +
                                  std::uint64_t{next} * x[c]);
  }
}

template <class Word>
void multiply_batch(const OpenParts<Word>& parts, std::size_t devices, std::vector<Word>& triangle,
                    Executor& executor) {
  executor.run(parts.stride / tile, [&](std::size_t shard) {
    const std::size_t first = shard * tile;
    for (std::size_t row = first; row < parts.numbers; ++row) {
      alignas(64) std::array<Word, tile> sums{};
      multiply_row(parts, devices, row, first, std::span<Word, tile>(sums));
      Word* out = triangle.data() + triangle_of(row) + first;
      for (std::size_t c = 0; c < std::min(tile, row + 1 - first); ++c)
        out[c] = static_cast<Word>(out[c] + sums[c]);
    }
  });
}

}  // namespace

PartShape ProductShape::input() const {
  return {.session = session,
          .devices = devices,
          .aggregators = product_aggregators,
          .least_survivors = least_survivors,
          .entries = weighted ? 2 * numbers : numbers,
          .range = range};
}

PartShape ProductShape::total() const {
  PartShape shape = input();
  shape.entries = static_cast<std::uint32_t>(triangle_of(numbers));
  return shape;
}

ProductAggregator::ProductAggregator(const ProductShape& shape, std::uint32_t number, const Secret& next,
                                     const Secret& before)
    : shape_(shape), input_(shape.input()), number_(number), next_(next), before_(before) {
  for (auto& parts : parts_) parts.resize(shape.devices);
}

bool ProductAggregator::takes(std::uint32_t part) const {
  return part == number_ || part == (number_ + 1) % product_aggregators;
}

Status ProductAggregator::receive(std::uint32_t from, const PartMessage& message) {
  if (released_) return sum_refused("a part after the sum");
  if (message.session != shape_.session) return sum_refused("a message of another session");
  if (!takes(message.aggregator)) return sum_refused("a part for another aggregator");
  if (from >= shape_.devices) return sum_refused("a part of a device outside the cohort");
  Bytes& held = parts_[message.aggregator == number_ ? 0 : 1][from];
  if (!held.empty()) return sum_refused("a repeated message");
  // The first part has all the values; the others are seeds.
  if (message.aggregator == 0) {
    if (!RingValues(input_.entries, input_.range.bits).is_packed(message.part))
      return sum_refused("an input that is not as long as the sum");
  } else if (message.part.size() != sizeof(Bytes32)) {
    return sum_refused("a part that is no seed");
  }
  held = message.part;
  return Done{};
}

DeviceSet ProductAggregator::heard() const {
  DeviceSet both(shape_.devices);
  for (std::uint32_t device = 0; device < shape_.devices; ++device)
    if (!parts_[0][device].empty() && !parts_[1][device].empty()) both.insert(device);
  return both;
}

void ProductAggregator::open_part(std::size_t which, std::uint32_t device, RingValues& out) const {
  const Bytes& held = parts_[which][device];
  if ((number_ + which) % product_aggregators == 0) return out.add_packed(held);
  Bytes32 seed;
  std::memcpy(seed.data(), held.data(), seed.size());
  out.add_mask(Secret(seed));
}

template <class Word>
RingValues ProductAggregator::multiply(const DeviceSet& survivors, Executor& executor) const {
  OpenParts<Word> parts(shape_.numbers);
  std::vector<Word> triangle(triangle_of(shape_.numbers), 0);
  std::vector<std::uint32_t> devices;
  for (std::uint32_t device = 0; device < shape_.devices; ++device)
    if (survivors.has(device)) devices.push_back(device);
  for (std::size_t first = 0; first < devices.size(); first += together) {
    const std::size_t count = std::min(together, devices.size() - first);
    executor.run(count, [&](std::size_t d) {
      for (std::size_t which = 0; which < 2; ++which) {
        RingValues values(input_.entries, input_.range.bits);
        open_part(which, devices[first + d], values);
        put(values, 0, shape_.numbers, parts.x[which].data() + d * parts.stride);
        put(values, shape_.weighted ? shape_.numbers : 0, shape_.numbers,
            parts.y[which].data() + d * parts.stride);
      }
    });
    multiply_batch(parts, count, triangle, executor);
  }
  RingValues sum(triangle.size(), input_.range.bits);
  sum.add_words(std::span<const Word>(triangle));
  return sum;
}

Result<Bytes> ProductAggregator::release(const DeviceSet& survivors, Executor& executor) && {
  if (std::exchange(released_, true)) return sum_refused("a sum is released once");
  if (survivors.devices() != shape_.devices || survivors.size() < shape_.least_survivors)
    return sum_refused("fewer survivors than the plan allows");
  const DeviceSet known = heard();
  for (std::uint32_t device = 0; device < shape_.devices; ++device)
    if (survivors.has(device) && !known.has(device))
      return sum_refused("a survivor's part is missing: the parts would not add up");
  const std::uint32_t bits = input_.range.bits;
  RingValues sum = bits <= 16   ? multiply<std::uint16_t>(survivors, executor)
                   : bits <= 32 ? multiply<std::uint32_t>(survivors, executor)
                                : multiply<std::uint64_t>(survivors, executor);
  sum.add_mask(next_);
  sum.subtract_mask(before_);
  return sum.packed();
}

Result<SumOutcome> ProductSum::sum(const SumTask& task) {
  ProductShape shape{.session = task.session,
                     .devices = static_cast<std::uint32_t>(task.members.size()),
                     .least_survivors = least_,
                     .numbers = weighted_ ? task.entries / 2 : task.entries,
                     .weighted = weighted_,
                     .range = {}};
  if (triangle_of(shape.numbers) > UINT32_MAX)
    return sum_refused("more than 2^32 pairs: sum those of fewer items (--pair-items)");
  SOTTO_TRY(shape.range, plan_range(shape.devices, task.limit, bits_));
  const auto shared = [&](std::uint32_t with_next) {
    return Secret(simulated_key(seed_, "product zeros", task.session, with_next % product_aggregators));
  };
  std::vector<ProductAggregator> aggregators;
  for (std::uint32_t n = 0; n < product_aggregators; ++n)
    aggregators.emplace_back(shape, n, shared(n), shared(n + product_aggregators - 1));
  SumOutcome outcome;
  using Parts = std::vector<PartMessage>;
  const auto make = [&](std::uint32_t place, Parts& parts) -> Status {
    if (task.fates[place] <= Fate::input) return Done{};
    std::vector<std::int32_t> input(task.entries, 0);
    SOTTO_TRY_DONE(task.input(place, input));
    const Secret entropy(simulated_key(seed_, "product entropy", task.session, task.members[place]));
    SOTTO_TRY(parts, split_input(shape.input(), input, entropy));
    return Done{};
  };
  const auto take = [&](std::uint32_t place, const Parts& parts) -> Status {
    for (const PartMessage& part : parts)
      // To the aggregator of its number and to the one before.
      for (const std::uint32_t to : {part.aggregator, part.aggregator + product_aggregators - 1}) {
        Bytes sent = encode(part);
        outcome.traffic.up += sent.size();
        const auto got = decode<PartMessage>(sent);
        wipe(sent);
        if (!got.ok()) return got.error();
        SOTTO_TRY_DONE(aggregators[to % product_aggregators].receive(place, *got));
      }
    return Done{};
  };
  SOTTO_TRY_DONE(in_batches<Parts>(executor_, task.members.size(), make, take));
  outcome.survivors = aggregators[0].heard();
  std::vector<Bytes> sums;
  for (ProductAggregator& one : aggregators) {
    SOTTO_TRY(Bytes released, std::move(one).release(outcome.survivors, executor_));
    sums.push_back(std::move(released));
  }
  SOTTO_TRY(outcome.values, join_parts(shape.total(), outcome.survivors.size(), sums));
  return outcome;
}

}  // namespace sotto::fed
