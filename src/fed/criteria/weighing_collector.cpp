#include "fed/criteria/weighing_collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "privacy/contribution_edit.h"

namespace sotto::fed {

namespace {

constexpr double value_units = 1 << 24;  // of a measured criterion in the first sum
constexpr std::int32_t kept_back = -1;

// Nearest integer, ties to even, of |value| < 2^51.
std::int64_t nearest(double value) {
  constexpr double shift = 6755399441055744.0;  // 1.5·2^52 leaves the integer in the low bits
  return std::bit_cast<std::int64_t>(value + shift) - std::bit_cast<std::int64_t>(shift);
}

// Lengths of the update, whole and by layer.
void measure_distances(const Contribution& contribution, const UpdateExtent& extent, DeviceFacts& facts) {
  const std::size_t layers = std::max<std::size_t>(extent.layer_ends.size(), 1);
  std::vector<double> squares(layers, 0.0);
  std::size_t layer = 0;
  for (std::size_t n = 0; n < contribution.size() && contribution.row(n) < extent.rows; ++n) {
    const std::int32_t* values = contribution.values(n);
    for (std::size_t k = 0; k < contribution.width(); ++k) {
      const std::size_t place = std::size_t{contribution.row(n)} * contribution.width() + k;
      while (layer + 1 < layers && place >= extent.layer_ends[layer]) ++layer;
      squares[layer] += static_cast<double>(values[k]) * values[k];
    }
  }
  double whole = 0.0, lengths = 0.0;
  for (const double square : squares) whole += square, lengths += std::sqrt(square);
  facts.distance = std::sqrt(whole) / extent.fixed.scale();
  facts.layer_distance = lengths / static_cast<double>(layers) / extent.fixed.scale();
}

}  // namespace

Status check(const CriteriaOptions& options) {
  if (!options.asked()) return Done{};
  return check(options.score, options.order.size());
}

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

bool WeighingCollector::looks_at_updates() const {
  return std::ranges::any_of(options_.order, [](Criterion criterion) { return criterion->of_update; });
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
    SOTTO_TRY(const double value, measured(criterion, facts));
    out = static_cast<std::int32_t>(nearest(value * value_units));
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

template <class Put>
Result<std::vector<std::int64_t>> WeighingCollector::sum_up(Collector& sum, std::size_t count,
                                                            const Put& put) {
  const auto give = [&](std::size_t n, Contribution& contribution) {
    NumberRows numbers(contribution);
    put(n, numbers);
  };
  SOTTO_TRY(SummedNumbers summed, sum_numbers(sum, {round_, cohort_, nullptr}, count, give));
  small_.up += summed.traffic.up;
  small_.down += summed.traffic.down + cohort_.size() * count * sizeof(std::int64_t);
  return std::move(summed.sums);
}

Status WeighingCollector::drop_what_few_tell() {
  if (tellers_ == nullptr) return Done{};
  const std::size_t criteria = options_.order.size();
  SOTTO_TRY(const auto told, sum_up(*tellers_, criteria, [&](std::size_t place, NumberRows& numbers) {
              for (std::size_t n = 0; n < criteria; ++n)
                numbers.put(n, measured_[place * criteria + n] == kept_back ? 0 : 1);
            }));
  for (std::size_t n = 0; n < criteria; ++n) {
    if (told[n] >= std::int64_t{options_.least_tellers}) continue;
    for (std::size_t place = 0; place < cohort_.size(); ++place) measured_[place * criteria + n] = kept_back;
    ++tally_.left_alone[options_.order[n]->name];
  }
  return Done{};
}

Result<std::vector<double>> WeighingCollector::cohort_totals() {
  const std::size_t criteria = options_.order.size();
  SOTTO_TRY(const auto sums, sum_up(*values_, 2 * criteria, [&](std::size_t place, NumberRows& numbers) {
              for (std::size_t n = 0; n < criteria; ++n) {
                const std::int32_t value = measured_[place * criteria + n];
                numbers.put(2 * n, value == kept_back ? 0 : value);
                numbers.put(2 * n + 1, value == kept_back ? 0 : 1);
              }
            }));
  std::vector<double> totals(criteria, 0.0);
  for (std::size_t n = 0; n < criteria; ++n) {
    const auto told = static_cast<double>(sums[2 * n + 1]);
    if (told == 0.0) continue;
    const bool given = std::string_view(options_.order[n]->name) == "trust";
    if (sums[2 * n] <= 0)
      return fail(Code::usage,
                  fmt::format("round {}: nobody in the cohort has anything of the criterion {} (less than 1 "
                              "in 33 million counts as nothing): {}, or leave it out",
                              round_ + 1, options_.order[n]->name,
                              given ? "give somebody more in the file of trust" : "take larger cohorts"));
    totals[n] = static_cast<double>(sums[2 * n]) * static_cast<double>(cohort_.size()) / told;
  }
  return totals;
}

std::int32_t WeighingCollector::score_of(std::size_t place, std::span<const double> totals) const {
  const std::size_t criteria = options_.order.size();
  std::vector<double> values(criteria, 1.0);
  const double most = score(options_.score, values);
  for (std::size_t n = 0; n < criteria; ++n) {
    const std::int32_t value = measured_[place * criteria + n];
    const bool told = value != kept_back && totals[n] > 0.0;
    values[n] = told ? value / totals[n] : 1.0 / static_cast<double>(cohort_.size());
  }
  const double share = std::min(score(options_.score, values) / most, 1.0);
  return static_cast<std::int32_t>(nearest(share * fixed_limit));
}

Status WeighingCollector::weigh() {
  SOTTO_TRY_DONE(drop_what_few_tell());
  SOTTO_TRY(const std::vector<double> totals, cohort_totals());
  std::vector<std::int32_t> scores(cohort_.size());
  for (std::size_t place = 0; place < cohort_.size(); ++place) scores[place] = score_of(place, totals);
  SOTTO_TRY(const auto sum, sum_up(*scores_, 1, [&](std::size_t place, NumberRows& numbers) {
              numbers.put(0, scores[place]);
            }));
  if (sum[0] <= 0)
    return fail(Code::usage,
                fmt::format("round {}: by these criteria nobody in the cohort counts: take larger cohorts, "
                            "or another score",
                            round_ + 1));
  const double mean = static_cast<double>(sum[0]) / static_cast<double>(cohort_.size());
  weights_.resize(cohort_.size());
  for (std::size_t place = 0; place < cohort_.size(); ++place) weights_[place] = scores[place] / mean;
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
  const double weight = weights_[place];
  const ContributionEdit edit(contribution);
  double update = 0.0, rest = 0.0;  // the largest number of either
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    double& largest = contribution.row(n) < extent_.rows ? update : rest;
    for (std::int32_t& value : edit.values(n)) {
      const double weighed = weight * value;
      largest = std::max(largest, std::abs(weighed));
      value = static_cast<std::int32_t>(nearest(weighed));
    }
  }
  if (update > fixed_limit)
    return fail(Code::diverged,
                fmt::format("round {}: a weighed update left the numbers that can be sent: lower the "
                            "learning rate, or take other criteria",
                            round_ + 1));
  if (rest > fixed_limit)
    return fail(Code::usage,
                fmt::format("round {}: a device counts so much more than the others that its count cannot be "
                            "sent: take smaller cohorts, or criteria that tell devices less apart",
                            round_ + 1));
  return next_.accept(cohort_[place], contribution);
}

}  // namespace sotto::fed
