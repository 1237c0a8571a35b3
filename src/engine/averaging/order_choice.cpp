#include "engine/averaging/order_choice.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "fed/number_sum.h"

namespace sotto::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t counted = 2;  // right, and all

}  // namespace

OrderChoice::OrderChoice(const RememberedTask& task, AveragingFederation& federation,
                         WeighingCollector& weigher, const SumMaker& sums, std::vector<CriteriaOrder> orders,
                         Executor& executor)
    : task_(task),
      federation_(federation),
      weigher_(weigher),
      counts_(sums({.rows = rows_for(counted), .width = numbers_a_row})),
      orders_(std::move(orders)),
      executor_(executor) {
  SOTTO_ASSERT(orders_.size() > 1, "there is something to choose");
}

void OrderChoice::go_on_with(const CriteriaOrder& order, const OrderCosts& costs) {
  const auto found = std::find(orders_.begin(), orders_.end(), order);
  if (found == orders_.end()) return;
  now_ = static_cast<std::size_t>(found - orders_.begin());
  weigher_.set_order(order);
  costs_ = costs;
}

Result<std::uint64_t> OrderChoice::count_right(std::span<const UserIndex> cohort,
                                               std::span<const float> model) {
  std::vector<LocalScore> scores(cohort.size());
  std::vector<std::optional<Error>> errors(cohort.size());
  executor_.run(cohort.size(), [&](std::size_t n) {
    auto score = task_.score(cohort[n], LocalPart::validation, model, {});
    if (score.ok())
      scores[n] = *score;
    else
      errors[n] = score.error();
  });
  for (const auto& error : errors)
    if (error) return *error;
  const auto give = [&](std::size_t n, Contribution& contribution) {
    NumberRows rows(contribution);
    rows.put(0, static_cast<std::int32_t>(scores[n].right));
    rows.put(1, static_cast<std::int32_t>(scores[n].examples));
  };
  SOTTO_TRY(const SummedNumbers summed,
            sum_numbers(*counts_, {federation_.state().round, cohort, nullptr}, counted, give));
  ++costs_.sums;
  costs_.bytes_up += summed.traffic.up;
  costs_.bytes_down += summed.traffic.down;
  if (summed.sums[1] == 0)
    return fail(Code::usage,
                "no device of a cohort has validation examples to choose an order by: raise --validation");
  return static_cast<std::uint64_t>(summed.sums[0]);
}

Status OrderChoice::try_others(const FederationState& before, std::span<const UserIndex> cohort,
                               std::uint64_t right, RoundReport& report) {
  FederationState best = federation_.state();
  const std::size_t held = now_;
  for (std::size_t n = 0; n < orders_.size(); ++n) {
    if (n == held) continue;
    weigher_.set_order(orders_[n]);
    federation_.restore(before);
    SOTTO_TRY(const RoundReport again, federation_.run(1));
    ++costs_.tries;
    ++costs_.sums;
    costs_.bytes_up += again.bytes_up;
    costs_.bytes_down += again.bytes_down;
    SOTTO_TRY(const std::uint64_t now_right, count_right(cohort, federation_.model()));
    if (now_right <= right) continue;
    right = now_right;
    best = federation_.state();
    report = again;
    keep_weights();
    now_ = n;
  }
  costs_.changes += now_ != held ? 1 : 0;
  weigher_.set_order(orders_[now_]);
  federation_.restore(std::move(best));
  return Done{};
}

Result<RoundReport> OrderChoice::run_round() {
  const FederationState before = federation_.state();
  const std::vector<float> model(federation_.model().begin(), federation_.model().end());
  SOTTO_TRY(RoundReport report, federation_.run(1));
  keep_weights();
  const Clock::time_point start = Clock::now();
  const std::vector<UserIndex> cohort = task_.trained();
  SOTTO_TRY(const std::uint64_t was_right, count_right(cohort, model));
  // The cohort receives the new model to judge it; the old one it has.
  costs_.bytes_down += report.bytes_down;
  SOTTO_TRY(const std::uint64_t right, count_right(cohort, federation_.model()));
  if (right < was_right) SOTTO_TRY_DONE(try_others(before, cohort, right, report));
  costs_.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

}  // namespace sotto::engine
