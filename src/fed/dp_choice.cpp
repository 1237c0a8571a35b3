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

namespace sotto {

namespace {

constexpr std::uint32_t rate_under = std::uint32_t{1} << 20;

// One row each, of known candidates, with words of 0 and 1.
bool says_yes_or_no(const Contribution& contribution, std::size_t candidates) {
  if (contribution.width() != numbers_a_row) return false;
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    if (n > 0 && contribution.row(n) <= contribution.row(n - 1)) return false;
    for (std::size_t k = 0; k < numbers_a_row; ++k) {
      const std::int32_t word = contribution.values(n)[k];
      const bool known = contribution.row(n) * numbers_a_row + k < candidates;
      if (word != 0 && !(word == 1 && known)) return false;
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
  if (!says_yes_or_no(contribution, plan_.candidates))
    return fail(
        Code::bad_input,
        "a device judges each candidate by 0 or 1, and this one said something else; it is not counted");
  return next_.accept(user, contribution);
}

std::size_t DpChoice::choose(Aggregator&& sum) const {
  std::vector<std::int64_t> scores(rows_for(plan_.candidates) * numbers_a_row, 0);
  std::move(sum).release([&](std::uint32_t row, const auto* sums) {
    std::copy_n(sums, numbers_a_row, scores.begin() + std::ptrdiff_t{row} * std::ptrdiff_t{numbers_a_row});
  });
  scores.resize(plan_.candidates);
  // Rounded down: no more is told than was paid for.
  const auto rate = static_cast<std::uint32_t>(std::floor(plan_.epsilon * rate_under));
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

}  // namespace sotto
