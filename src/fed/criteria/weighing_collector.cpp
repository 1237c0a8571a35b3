#include "fed/criteria/weighing_collector.h"

#include <fmt/core.h>

#include <algorithm>

#include "privacy/number_rows.h"

namespace sotto::fed {

WeighingCollector::WeighingCollector(CriteriaOptions options, const FactsSource& facts, UpdateExtent extent,
                                     SumMaker sums, Collector& next)
    : options_(std::move(options)),
      facts_(facts),
      extent_(std::move(extent)),
      maker_(std::move(sums)),
      next_(next) {
  tally_.least_tellers = options_.least_tellers;
  make_sums();
}

void WeighingCollector::make_sums() {
  values_ = maker_({rows_for(2 * options_.order.size()), numbers_a_row});
  scores_ = maker_({rows_for(1), numbers_a_row});
  if (!facts_.everybody_tells()) tellers_ = maker_({rows_for(options_.order.size()), numbers_a_row});
}

void WeighingCollector::set_order(CriteriaOrder order) {
  const bool fits = order.size() == options_.order.size();
  options_.order = std::move(order);
  if (!fits) make_sums();
}

Status WeighingCollector::measure(std::size_t place, const DeviceFacts& facts) {
  const std::size_t criteria = options_.order.size();
  for (std::size_t n = 0; n < criteria; ++n) {
    const Criterion criterion = options_.order[n];
    std::int32_t& out = measured_[place * criteria + n];
    out = kept_back;
    if (!facts_.tells(cohort_[place], criterion->name)) {
      SOTTO_ASSERT(tellers_ != nullptr, "where somebody keeps back, tellers are counted");
      continue;
    }
    SOTTO_TRY(out, value_of(criterion, facts));
  }
  return Done{};
}

Status WeighingCollector::begin(const RoundPlace& place) {
  if (place.cohort.size() < 2)
    return fail(Code::usage,
                fmt::format("round {}: criteria compare the devices of a cohort, and this one has {}: take "
                            "larger cohorts, or no criteria",
                            place.round + 1, place.cohort.size()));
  round_ = place.round;
  cohort_.assign(place.cohort.begin(), place.cohort.end());
  measured_.assign(cohort_.size() * options_.order.size(), kept_back);
  weights_.clear();
  arrived_ = 0;
  held_.clear();
  small_ = {};
  if (!looks_at_updates()) {
    for (std::size_t n = 0; n < cohort_.size(); ++n) SOTTO_TRY_DONE(measure(n, facts_.of(cohort_[n])));
    SOTTO_TRY_DONE(weigh());
  }
  return next_.begin(place);
}

Status WeighingCollector::accept(UserIndex user, Contribution& contribution) {
  SOTTO_ASSERT(arrived_ < cohort_.size() && cohort_[arrived_] == user, "devices come in the cohort's order");
  const std::size_t place = arrived_++;
  if (!looks_at_updates()) return pass_on(place, contribution);
  DeviceFacts facts = facts_.of(user);
  measure_distances(contribution, extent_, facts);
  SOTTO_TRY_DONE(measure(place, facts));
  held_.push_back(contribution);
  return Done{};
}

Result<Traffic> WeighingCollector::finish(Aggregator& total) {
  if (looks_at_updates()) {
    SOTTO_TRY_DONE(weigh());
    for (std::size_t n = 0; n < held_.size(); ++n) SOTTO_TRY_DONE(pass_on(n, held_[n]));
    held_.clear();
  }
  SOTTO_TRY(Traffic traffic, next_.finish(total));
  traffic.up += small_.up;
  traffic.down += small_.down;
  return traffic;
}

template <class Numbers>
Result<std::vector<std::int64_t>> WeighingCollector::sum_up(Collector& sum, std::size_t count,
                                                            const Numbers& numbers) {
  const auto give = [&](std::size_t n, Contribution& contribution) { put_numbers(numbers(n), contribution); };
  SOTTO_TRY(SummedNumbers summed, sum_numbers(sum, {round_, cohort_, nullptr}, count, give));
  small_.up += summed.traffic.up;
  small_.down += summed.traffic.down + cohort_.size() * count * sizeof(std::int64_t);
  return std::move(summed.sums);
}

Status WeighingCollector::drop_what_few_tell() {
  if (tellers_ == nullptr) return Done{};
  const std::size_t criteria = options_.order.size();
  SOTTO_TRY(const auto told,
            sum_up(*tellers_, criteria, [&](std::size_t place) { return told_numbers(values_of(place)); }));
  for (std::size_t n = 0; n < criteria; ++n) {
    if (told[n] >= std::int64_t{options_.least_tellers}) continue;
    for (std::size_t place = 0; place < cohort_.size(); ++place) measured_[place * criteria + n] = kept_back;
    ++tally_.left_alone[options_.order[n]->name];
  }
  return Done{};
}

Status WeighingCollector::weigh() {
  SOTTO_TRY_DONE(drop_what_few_tell());
  const std::size_t devices = cohort_.size();
  SOTTO_TRY(const auto sums, sum_up(*values_, 2 * options_.order.size(),
                                    [&](std::size_t place) { return value_numbers(values_of(place)); }));
  SOTTO_TRY(const std::vector<double> totals,
            criteria_totals(options_.order, sums, devices, std::uint64_t{round_} + 1));
  std::vector<std::int32_t> scores(devices);
  for (std::size_t place = 0; place < devices; ++place)
    scores[place] = score_of(options_.score, values_of(place), totals, devices);
  SOTTO_TRY(const auto sum,
            sum_up(*scores_, 1, [&](std::size_t place) { return std::vector{scores[place]}; }));
  SOTTO_TRY(const double mean, mean_score(sum[0], devices, std::uint64_t{round_} + 1));
  weights_.resize(devices);
  for (std::size_t place = 0; place < devices; ++place) weights_[place] = scores[place] / mean;
  count_round();
  return Done{};
}

void WeighingCollector::count_round() {
  const auto [least, most] = std::ranges::minmax(weights_);
  tally_.least = tally_.rounds == 0 ? least : std::min(tally_.least, least);
  tally_.most = std::max(tally_.most, most);
  ++tally_.rounds;
}

Status WeighingCollector::pass_on(std::size_t place, Contribution& contribution) {
  SOTTO_TRY_DONE(fed::weigh(weights_[place], extent_.rows, std::uint64_t{round_} + 1, contribution));
  return next_.accept(cohort_[place], contribution);
}

}  // namespace sotto::fed
