#include "fed/dp_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/assert.h"
#include "base/secret_stream.h"
#include "privacy/dp/exact_noise.h"
#include "privacy/number_rows.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t rate_under = std::uint32_t{1} << 24;

// One row each, of known candidates, with words from 0 to the most.
bool is_judgement(const Contribution& contribution, const DpChoicePlan& plan) {
  if (contribution.width() != numbers_a_row) return false;
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    if (n > 0 && contribution.row(n) <= contribution.row(n - 1)) return false;
    for (std::size_t k = 0; k < numbers_a_row; ++k) {
      const std::int32_t word = contribution.values(n)[k];
      const bool known = contribution.row(n) * numbers_a_row + k < plan.candidates;
      const bool allowed = word > 0 && static_cast<std::uint32_t>(word) <= plan.most;
      if (word != 0 && !(allowed && known)) return false;
    }
  }
  return true;
}

}  // namespace

Status check(const DpChoicePlan& plan) {
  if (plan.candidates < 2) return fail(Code::usage, "a choice is among two candidates or more");
  if (!(plan.epsilon >= least_choice_epsilon && plan.epsilon <= most_choice_epsilon))
    return fail(Code::usage, fmt::format("a choice costs an epsilon from {} to {}, not {}",
                                         least_choice_epsilon, most_choice_epsilon, plan.epsilon));
  if (plan.most == 0 || plan.most > most_said)
    return fail(Code::usage, fmt::format("a candidate is judged by 0 to at most {}", most_said));
  return Done{};
}

DpChoice::DpChoice(const DpChoicePlan& plan, DpSum::Charge charge, Collector& next)
    : plan_(plan), charge_(std::move(charge)), next_(next) {
  SOTTO_ASSERT(check(plan).ok(), "the plan was checked");
}

Status DpChoice::begin(const RoundPlace& place) {
  round_ = place.round;
  return next_.begin(place);
}

Status DpChoice::accept(UserIndex user, Contribution& contribution) {
  if (!is_judgement(contribution, plan_))
    return fail(Code::bad_input, fmt::format("a device judges each candidate by 0 to {}, and this one said "
                                             "something else; it is not counted",
                                             plan_.most));
  return next_.accept(user, contribution);
}

std::size_t DpChoice::choose(Aggregator&& sum) const {
  std::vector<std::int64_t> scores(rows_for(plan_.candidates) * numbers_a_row, 0);
  std::move(sum).release([&](std::uint32_t row, const auto* sums) {
    std::copy_n(sums, numbers_a_row, scores.begin() + std::ptrdiff_t{row} * std::ptrdiff_t{numbers_a_row});
  });
  scores.resize(plan_.candidates);
  // Rounded down: no more is told than was paid for.
  const auto rate = static_cast<std::uint32_t>(std::floor(plan_.epsilon / plan_.most * rate_under));
  SecretStream bits(simulated_key(plan_.seed, ("choice " + plan_.release).c_str(), round_));
  return ExactNoise(bits).choose(scores, rate, rate_under);
}

Result<Traffic> DpChoice::finish(Aggregator& total) {
  SOTTO_TRY_DONE(charge_(round_));
  SumSpace space(rows_for(plan_.candidates), numbers_a_row);
  Aggregator sum(space);
  SOTTO_TRY(const Traffic traffic, next_.finish(sum));
  const std::size_t chosen = choose(std::move(sum));
  std::array<std::int64_t, numbers_a_row> row{};
  row[chosen % numbers_a_row] = 1;
  total.add_total(static_cast<std::uint32_t>(chosen / numbers_a_row), row.data());
  return traffic;
}

}  // namespace sotto::fed
