#include "fed/secure/product_collector.h"

#include <algorithm>

#include "fed/secure/product_sum.h"
#include "fed/secure/refusals.h"
#include "fed/secure/round_draw.h"
#include "privacy/pair_contribution.h"

namespace sotto::fed {

namespace {

bool is_weighted(PersonWeight weight) { return weight != PersonWeight(); }

}  // namespace

ProductCollector::ProductCollector(const SumOptions& options, std::size_t items, PersonWeight weight,
                                   std::uint64_t seed, Executor& executor)
    : options_(options),
      items_(static_cast<std::uint32_t>(items)),
      weighted_(is_weighted(weight)),
      seed_(seed),
      executor_(executor) {}

Status ProductCollector::begin(const RoundPlace& place) {
  round_ = place.round;
  session_ = std::max(session_, std::uint64_t{place.round} << 32);
  cohort_.clear();
  for (const UserIndex user : place.cohort) cohort_.push_back(user.value);
  held_.clear();
  return Done{};
}

Status ProductCollector::accept(UserIndex user, Contribution& contribution) {
  SOTTO_ASSERT(held_.size() < cohort_.size() && cohort_[held_.size()] == user.value,
               "every device of the cohort is accepted once, in its order");
  std::vector<Given> given;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    for (std::size_t k = 0; k < contribution.width(); ++k) {
      const std::size_t item = contribution.row(n) * contribution.width() + k;
      const std::int32_t weight = contribution.values(n)[k];
      if (weight == 0) continue;
      if (item >= items_) return sum_refused("a contribution has an item that no pair is summed of");
      given.push_back({static_cast<std::uint32_t>(item), weight});
    }
  held_.push_back(std::move(given));
  return Done{};
}

Result<Traffic> ProductCollector::finish(Aggregator& total) {
  SOTTO_ASSERT(held_.size() == cohort_.size(), "every device of the cohort was accepted");
  const RoundDraw draw =
      draw_round({.seed = seed_, .group = 0, .silent = options_.silent}, round_, held_.size());
  // One number more: whether there is anything. Its products are how many people have each item.
  const std::uint32_t numbers = items_ + 1;
  const SumTask task{.session = session_++,
                     .members = cohort_,
                     .fates = draw.fates,
                     .entries = weighted_ ? 2 * numbers : numbers,
                     .limit = options_.limit == 0 ? fixed_limit : static_cast<std::int32_t>(options_.limit),
                     .input = [&](std::uint32_t place, std::span<std::int32_t> out) -> Status {
                       for (const Given& one : held_[place]) {
                         out[one.item] = 1;
                         if (weighted_) out[numbers + one.item] = one.weight;
                       }
                       for (std::size_t last = items_; last < out.size(); last += numbers)
                         out[last] = held_[place].empty() ? 0 : 1;
                       return Done{};
                     }};
  ProductSum protocol(options_.assumed.crowd, options_.bits, weighted_, seed_, executor_);
  SOTTO_TRY(SumOutcome outcome, protocol.sum(task));
  held_.clear();
  outcome.values.resize(rows_for(outcome.values.size()) * numbers_a_row, 0);
  for (std::size_t at = 0; at < outcome.values.size(); at += numbers_a_row) {
    const std::int64_t* values = outcome.values.data() + at;
    if (std::any_of(values, values + numbers_a_row, [](std::int64_t v) { return v != 0; }))
      total.add_total(static_cast<std::uint32_t>(at / numbers_a_row), values);
  }
  outcome.traffic.devices = outcome.survivors.size();
  return outcome.traffic;
}

Result<std::uint64_t> product_bytes_up(const SumOptions& options, std::size_t devices, std::size_t items,
                                       PersonWeight weight) {
  const std::int32_t limit = options.limit == 0 ? fixed_limit : static_cast<std::int32_t>(options.limit);
  SOTTO_TRY(const SumRange range, plan_range(static_cast<std::uint32_t>(devices), limit, options.bits));
  const std::uint64_t numbers = (is_weighted(weight) ? 2 : 1) * (items + 1);
  const std::uint64_t head = encode(PartMessage{}).size(), seeds = 2;
  // Each of the three parts goes to two aggregators.
  return 2 * (head + (numbers * range.bits + 7) / 8 + seeds * (head + sizeof(Bytes32)));
}

}  // namespace sotto::fed
