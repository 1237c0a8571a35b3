#include "fed/dp_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "privacy/number_rows.h"

namespace sotto::fed::dp_choice_test {

using Votes = std::vector<std::vector<std::int32_t>>;  // by person and candidate

const DpSum::Charge free_of_charge = [](std::uint32_t) { return Status(Done{}); };

Contribution words_of(const std::vector<std::int32_t>& votes) {
  Contribution contribution(numbers_a_row);
  NumberRows rows(contribution);
  for (std::size_t k = 0; k < votes.size(); ++k)
    if (votes[k] != 0) rows.put(k, votes[k]);
  return contribution;
}

struct Told {
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> wide;  // beyond the candidates
};

// What a round of these people releases.
Result<Told> told_of(const DpChoicePlan& plan, const Votes& people, std::uint32_t round = 0,
                     const DpSum::Charge& charge = free_of_charge) {
  const std::size_t rows = rows_for(plan.candidates);
  PlainCollector plain({rows, numbers_a_row});
  DpChoice choice(plan, charge, plain);
  std::vector<UserIndex> cohort;
  for (std::uint32_t n = 0; n < people.size(); ++n) cohort.push_back(UserIndex{n});
  SOTTO_TRY_DONE(choice.begin({round, cohort, nullptr}));
  for (std::size_t n = 0; n < people.size(); ++n) {
    Contribution words = words_of(people[n]);
    SOTTO_TRY_DONE(choice.accept(cohort[n], words));
  }
  SumSpace space(rows, numbers_a_row);
  Aggregator total(space);
  const auto finished = choice.finish(total);
  Told told{std::vector<std::int64_t>(rows * numbers_a_row, 0), {}};
  std::move(total).release([&](std::uint32_t row, const auto* sums) {
    for (std::size_t k = 0; k < numbers_a_row; ++k) told.numbers[row * numbers_a_row + k] = sums[k];
  });
  if (!finished.ok()) {
    EXPECT_EQ(told.numbers, std::vector<std::int64_t>(rows * numbers_a_row, 0)) << "nothing is released";
    return finished.error();
  }
  told.wide.assign(told.numbers.begin() + static_cast<std::ptrdiff_t>(plan.candidates), told.numbers.end());
  told.numbers.resize(plan.candidates);
  return told;
}

// The one candidate that is told.
std::size_t chosen_of(const DpChoicePlan& plan, const Votes& people, std::uint32_t round = 0) {
  const auto told = told_of(plan, people, round);
  EXPECT_TRUE(told.ok());
  std::optional<std::size_t> chosen;
  for (std::size_t k = 0; k < told->numbers.size(); ++k) {
    if (told->numbers[k] == 0) continue;
    EXPECT_EQ(told->numbers[k], 1);
    EXPECT_FALSE(chosen.has_value()) << "one alone";
    chosen = k;
  }
  for (const std::int64_t number : told->wide) EXPECT_EQ(number, 0);
  EXPECT_TRUE(chosen.has_value());
  return chosen.value_or(0);
}

// e^(ε · how many said yes), as it is written.
std::vector<double> law_of(double epsilon, const Votes& people, std::size_t candidates) {
  std::vector<double> law(candidates, 1.0);
  for (const auto& votes : people)
    for (std::size_t k = 0; k < candidates; ++k) law[k] *= std::exp(epsilon * votes[k]);
  double sum = 0.0;
  for (const double weight : law) sum += weight;
  for (double& weight : law) weight /= sum;
  return law;
}

const Votes five{{1, 0, 1}, {0, 0, 1}, {1, 0, 0}, {1, 1, 1}, {0, 0, 0}};

// How often each is chosen in 20,000 rounds against the law: χ² of two degrees; above 23 less than once in
// 10⁵, and the seeds are fixed.
double chi_square(double drawn_with, double told_epsilon, std::uint32_t most = 1) {
  constexpr int rounds = 20'000;
  const DpChoicePlan plan{
      .candidates = 3, .epsilon = drawn_with * most, .most = most, .release = "test", .seed = 7};
  std::vector<int> counts(3, 0);
  for (std::uint32_t round = 0; round < rounds; ++round) ++counts[chosen_of(plan, five, round)];
  const std::vector<double> law = law_of(told_epsilon, five, 3);
  double score = 0.0;
  for (std::size_t k = 0; k < 3; ++k) score += std::pow(counts[k] - rounds * law[k], 2.0) / (rounds * law[k]);
  return score;
}

TEST(DpChoice, FollowsItsLawThroughTheSumAndAWrongRateIsTold) {
  EXPECT_LT(chi_square(.7, .7), 23.0);
  EXPECT_GT(chi_square(.7, .8), 23.0);
  EXPECT_LT(chi_square(.7, .7, 3), 23.0) << "a third of epsilon for each of three";
  EXPECT_GT(chi_square(.7, .35), 23.0) << "no factor 2 is lost";
}

// How far one person moves the logarithm of any candidate's chance, by how often each is chosen in 20,000
// rounds with them and without.
double moved_by(const DpChoicePlan& plan, const Votes& others, const std::vector<std::int32_t>& one) {
  Votes all = others;
  all.push_back(one);
  std::vector<double> with(plan.candidates, 0.0), without = with;
  for (std::uint32_t round = 0; round < 20'000; ++round) {
    ++with[chosen_of(plan, all, round)];
    ++without[chosen_of(plan, others, round + 20'000)];
  }
  double most = 0.0;
  for (std::size_t k = 0; k < plan.candidates; ++k)
    most = std::max(most, std::abs(std::log(with[k] / without[k])));
  return most;
}

// Who likes what hardly anybody does moves most: by .643 of ε = .7 here, as 1 in (1 + 2e^2.1) becomes e^.7 in
// (e^.7 + 2e^2.1). The least count is about 1,150: a deviation of .036, so that .1 above ε is 4 of them and
// more; the seeds are fixed.
TEST(DpChoice, NobodyChangesAChanceByMoreThanEpsilon) {
  for (const std::int32_t most : {1, 3}) {
    const DpChoicePlan plan{.candidates = 3,
                            .epsilon = .7,
                            .most = static_cast<std::uint32_t>(most),
                            .release = "test",
                            .seed = 7};
    const double alone = moved_by(plan, Votes(3, {0, most, most}), {most, 0, 0});
    EXPECT_LT(alone, .8) << most;
    EXPECT_GT(alone, .5) << most;
    EXPECT_LT(moved_by(plan, Votes(3, {most, 0, 0}), {0, most, most}), .8) << most;
  }
}

TEST(DpChoice, ManyCandidatesLieInSeveralRows) {
  const DpChoicePlan plan{.candidates = 20, .epsilon = 50.0, .release = "test", .seed = 7};
  std::vector<std::int32_t> votes(20, 0);
  votes[18] = 1;
  EXPECT_EQ(chosen_of(plan, Votes(5, votes)), 18u);
}

TEST(DpChoice, TheSameSeedAndReleaseChooseTheSameAndOthersDoNot) {
  DpChoicePlan plan{.candidates = 16, .epsilon = .01, .release = "data A", .seed = 7};
  const Votes nobody;
  const auto choices = [&] {
    std::vector<std::size_t> all;
    for (std::uint32_t round = 0; round < 20; ++round) all.push_back(chosen_of(plan, nobody, round));
    return all;
  };
  const auto first = choices();
  EXPECT_EQ(choices(), first);
  plan.release = "data B";
  const auto other = choices();
  EXPECT_NE(other, first);
  plan.seed = 8;
  EXPECT_NE(choices(), other);
}

// A sum that notes when it is asked for what.
class Noting final : public Collector {
 public:
  explicit Noting(std::vector<std::string>& notes) : notes_(notes) {}
  [[nodiscard]] Status begin(const RoundPlace&) override { return notes_.emplace_back("begin"), Done{}; }
  [[nodiscard]] Status accept(UserIndex, Contribution&) override {
    return notes_.emplace_back("accept"), Done{};
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator&) override { return notes_.emplace_back("sum"), Traffic{}; }

 private:
  std::vector<std::string>& notes_;
};

// What happens in a round of one device, in its order; the charge is refused or not.
std::vector<std::string> order_of_a_round(bool refused) {
  std::vector<std::string> notes;
  Noting next(notes);
  const auto charge = [&](std::uint32_t round) -> Status {
    notes.push_back("charge " + std::to_string(round));
    if (refused) return fail(Code::bad_input, "spent");
    return Done{};
  };
  DpChoice choice({.candidates = 3, .epsilon = .7, .release = "test", .seed = 7}, charge, next);
  const std::vector<UserIndex> cohort{UserIndex{0}};
  EXPECT_TRUE(choice.begin({4, cohort, nullptr}).ok());
  Contribution words = words_of({1, 0, 1});
  EXPECT_TRUE(choice.accept(cohort[0], words).ok());
  SumSpace space(rows_for(3), numbers_a_row);
  Aggregator total(space);
  EXPECT_EQ(choice.finish(total).ok(), !refused);
  std::move(total).release([](std::uint32_t, const auto*) {});
  return notes;
}

TEST(DpChoice, IsChargedBeforeItIsMadeAndRefusedWhereThatIs) {
  using Notes = std::vector<std::string>;
  EXPECT_EQ(order_of_a_round(false), (Notes{"begin", "accept", "charge 4", "sum"}));
  EXPECT_EQ(order_of_a_round(true), (Notes{"begin", "accept", "charge 4"}));
  const DpChoicePlan plan{.candidates = 3, .epsilon = .7, .release = "test", .seed = 7};
  const auto refused =
      told_of(plan, five, 4, [](std::uint32_t) -> Status { return fail(Code::bad_input, "spent"); });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "spent");
}

TEST(DpChoice, RefusesWordsBeyondTheMost) {
  DpChoicePlan plan{.candidates = 3, .epsilon = .7, .release = "test", .seed = 7};
  EXPECT_TRUE(told_of(plan, {{1, 0, 1}}).ok());
  EXPECT_FALSE(told_of(plan, {{2, 0, 0}}).ok());
  EXPECT_FALSE(told_of(plan, {{0, -1, 0}}).ok());
  EXPECT_FALSE(told_of(plan, {{0, 0, 0, 1}}).ok()) << "there is no fourth";
  plan.most = 3;
  EXPECT_TRUE(told_of(plan, {{3, 0, 1}}).ok());
  EXPECT_FALSE(told_of(plan, {{4, 0, 0}}).ok());
}

TEST(DpChoice, WhatIsNoChoiceIsRefused) {
  EXPECT_TRUE(check(DpChoicePlan{2, 1.0, 1, "", 1}).ok());
  EXPECT_FALSE(check(DpChoicePlan{1, 1.0, 1, "", 1}).ok());
  for (const double epsilon : {0.0, -1.0, 1e-4, 101.0, std::nan("")})
    EXPECT_FALSE(check(DpChoicePlan{2, epsilon, 1, "", 1}).ok()) << epsilon;
  EXPECT_FALSE(check(DpChoicePlan{2, 1.0, 0, "", 1}).ok());
  EXPECT_FALSE(check(DpChoicePlan{2, 1.0, 101, "", 1}).ok());
}

}  // namespace sotto::fed::dp_choice_test
