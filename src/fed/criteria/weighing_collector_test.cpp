#include "fed/criteria/weighing_collector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "base/executor.h"
#include "fed/secure/secure_collector.h"

namespace sotto::fed::weighing_collector_test {

using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

// Facts as a test says them: trust is the criterion that can be any number.
class GivenFacts final : public FactsSource {
 public:
  explicit GivenFacts(std::vector<DeviceFacts> facts, std::vector<std::string> silent = {})
      : facts_(std::move(facts)), silent_(std::move(silent)) {}
  [[nodiscard]] DeviceFacts of(UserIndex device) const override { return facts_[device.value]; }
  [[nodiscard]] bool tells(UserIndex device, const char* criterion) const override {
    return silent_.empty() || silent_[device.value] != std::string(criterion);
  }
  [[nodiscard]] bool everybody_tells() const override { return silent_.empty(); }
  void keep_back(std::vector<std::string> silent) { silent_ = std::move(silent); }

 private:
  std::vector<DeviceFacts> facts_;
  std::vector<std::string> silent_;  // the criterion that a device keeps back
};

std::vector<UserIndex> cohort_of(std::size_t devices) {
  std::vector<UserIndex> cohort;
  for (std::uint32_t n = 0; n < devices; ++n) cohort.push_back(UserIndex{n});
  return cohort;
}

Contribution rows_of(const std::vector<std::pair<std::uint32_t, std::int32_t>>& rows) {
  Contribution contribution(2);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  for (const auto& [row, value] : rows) {
    std::int32_t* out = pipeline.open(Evidence::positive, row);
    out[0] = value, out[1] = -value;
  }
  contribution.make_canonical();
  return contribution;
}

const SumMaker plain = [](SumShape shape) { return std::make_unique<PlainCollector>(shape); };

struct Round {
  Sums sums;
  std::vector<double> weights;
  Traffic traffic;
};

// One round in which device n sends `given[n]` in rows 0 and n + 1.
Result<Round> run(const CriteriaOptions& options, const FactsSource& facts,
                  const std::vector<std::int32_t>& given, const SumMaker& maker, Collector& next) {
  const SumShape shape{given.size() + 1, 2};
  WeighingCollector collector(options, facts, {.fixed = {.bits = 0}}, maker, next);
  const std::vector<UserIndex> cohort = cohort_of(given.size());
  SOTTO_TRY_DONE(collector.begin({3, cohort, nullptr}));
  for (std::uint32_t n = 0; n < given.size(); ++n) {
    Contribution contribution = rows_of({{0, given[n]}, {n + 1, given[n]}});
    SOTTO_TRY_DONE(collector.accept(cohort[n], contribution));
  }
  SumSpace space(shape.rows, shape.width);
  Aggregator total(space);
  Round round;
  SOTTO_TRY(round.traffic, collector.finish(total));
  std::move(total).release([&](std::uint32_t row, const auto* values) {
    round.sums[row] = {std::int64_t{values[0]}, std::int64_t{values[1]}};
  });
  round.weights.assign(collector.weights().begin(), collector.weights().end());
  return round;
}

Result<Round> run_plain(const CriteriaOptions& options, const FactsSource& facts,
                        const std::vector<std::int32_t>& given) {
  PlainCollector next({given.size() + 1, 2});
  return run(options, facts, given, plain, next);
}

CriteriaOptions by(const char* order, ScoreKind kind = ScoreKind::prioritized) {
  return {.order = parse_order(order).value(), .score = {.kind = kind}};
}

// Alice and Bob of the thesis: what they have sums to 1 already but for the third criterion.
std::vector<DeviceFacts> alice_and_bob() {
  DeviceFacts alice, bob;
  alice.records = 90, bob.records = 10;
  alice.most_records = bob.most_records = 100;
  alice.trust = 0.2, bob.trust = 0.8;
  alice.rarity = 0.4, bob.rarity = 0.6;
  return {alice, bob};
}

// Ten devices of which the first so many tell trust; all tell size.
GivenFacts ten_with_tellers(std::size_t tellers) {
  std::vector<DeviceFacts> given(10);
  for (std::size_t n = 0; n < given.size(); ++n) {
    given[n].records = n + 1, given[n].most_records = 10;
    given[n].trust = n == 0 ? 0.9 : 0.1 * static_cast<double>(n);
  }
  std::vector<std::string> silent(10, "trust");
  std::fill_n(silent.begin(), tellers, "");
  return GivenFacts(given, silent);
}

TEST(WeighingCollector, WeighsByThePriorities) {
  const GivenFacts facts(alice_and_bob());
  const Round round = run_plain(by("size>trust>novelty"), facts, {1000, 1000}).value();
  const double alice = 0.9 + 0.9 * 0.2 + 0.9 * 0.2 * 0.4, bob = 0.1 + 0.1 * 0.8 + 0.1 * 0.8 * 0.6;
  EXPECT_NEAR(round.weights[0], 2 * alice / (alice + bob), 1e-6);
  EXPECT_NEAR(round.weights[1], 2 * bob / (alice + bob), 1e-6);
  const auto expected = [&](double own) { return std::llround(1000 * 2 * own / (alice + bob)); };
  EXPECT_EQ(round.sums.at(1)[0], expected(alice));
  EXPECT_EQ(round.sums.at(2)[1], -expected(bob));
  EXPECT_EQ(round.sums.at(0)[0], expected(alice) + expected(bob));
  EXPECT_GT(round.traffic.up, 0u);
  // The other way round Bob counts more.
  EXPECT_LT(run_plain(by("trust>novelty>size"), facts, {1, 1}).value().weights[0], 1.0);
}

TEST(WeighingCollector, ASingleCriterionIsItsShare) {
  const GivenFacts facts(alice_and_bob());
  const Round round = run_plain(by("size"), facts, {10, 10}).value();
  EXPECT_NEAR(round.weights[0], 1.8, 1e-6);
  EXPECT_NEAR(round.weights[1], 0.2, 1e-6);
}

TEST(WeighingCollector, LooksAtTheUpdateWhereACriterionDoes) {
  const GivenFacts facts(std::vector<DeviceFacts>(3));
  const std::vector<std::int32_t> given{0, 2, 12};
  const Round round = run_plain(by("MW"), facts, given).value();
  // A device's update has the numbers ±given in two rows: its length is 2·|given|.
  std::vector<double> near;
  for (const std::int32_t value : given) near.push_back(1.0 / std::sqrt(2.0 * value + 1.0));
  const double sum = std::accumulate(near.begin(), near.end(), 0.0);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_NEAR(round.weights[n], 3 * near[n] / sum, 1e-6) << n;
  EXPECT_EQ(round.sums.at(3)[0], std::llround(12 * 3 * near[2] / sum));
}

TEST(WeighingCollector, LayersAndExtentBoundWhatIsMeasured) {
  const GivenFacts facts(std::vector<DeviceFacts>(2));
  PlainCollector next({3, 2});
  // Rows 0 and 1 are of the model, a layer each; row 2 is not.
  WeighingCollector collector(by("MWL"), facts, {.fixed = {.bits = 1}, .rows = 2, .layer_ends = {2, 4}},
                              plain, next);
  const std::vector<UserIndex> cohort = cohort_of(2);
  ASSERT_TRUE(collector.begin({0, cohort, nullptr}).ok());
  Contribution first = rows_of({{0, 6}, {1, 8}, {2, 1000}}), second = rows_of({{2, 5}});
  ASSERT_TRUE(collector.accept(cohort[0], first).ok());
  ASSERT_TRUE(collector.accept(cohort[1], second).ok());
  SumSpace space(3, 2);
  Aggregator total(space);
  ASSERT_TRUE(collector.finish(total).ok());
  // In units of 1/2: layers of length 3√2 and 4√2.
  const double near = 1.0 / std::sqrt(3.5 * std::sqrt(2.0) + 1.0);
  EXPECT_NEAR(collector.weights()[0], 2 * near / (near + 1.0), 1e-6);
}

RC_GTEST_PROP(WeighingCollector, WeightsHaveTheMeanOneAndFollowTheScores, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(2, 30);
  std::vector<DeviceFacts> given(count);
  for (DeviceFacts& facts : given) {
    facts.records = *rc::gen::inRange<std::uint64_t>(1, 100), facts.most_records = 100;
    facts.trust = *rc::gen::inRange(0, 101) / 100.0;
  }
  given[0].trust = 1.0;
  const GivenFacts facts(given);
  const Round round = run_plain(by("trust>size"), facts, std::vector<std::int32_t>(count, 1)).value();
  double trust = 0.0, size = 0.0, scores = 0.0;
  for (const DeviceFacts& one : given) trust += one.trust, size += static_cast<double>(one.records);
  std::vector<double> own;
  for (const DeviceFacts& one : given) {
    own.push_back(one.trust / trust * (1.0 + static_cast<double>(one.records) / size));
    scores += own.back();
  }
  double sum = 0.0;
  for (std::size_t n = 0; n < count; ++n) {
    RC_ASSERT(round.weights[n] >= 0.0);
    RC_ASSERT(std::abs(round.weights[n] - own[n] / scores * static_cast<double>(count)) < 1e-4);
    sum += round.weights[n];
  }
  RC_ASSERT(std::abs(sum / static_cast<double>(count) - 1.0) < 1e-9);
}

TEST(WeighingCollector, ASecureSumGivesTheSameWeightsAndTheSameSum) {
  std::vector<DeviceFacts> given(12);
  std::vector<std::int32_t> numbers;
  for (std::size_t n = 0; n < given.size(); ++n) {
    given[n].records = 3 * n + 1, given[n].most_records = 40,
    given[n].trust = 0.1 + 0.05 * static_cast<double>(n);
    numbers.push_back(static_cast<std::int32_t>(n * n) - 30);
  }
  const GivenFacts facts(given);
  SerialExecutor executor;
  SumOptions options;
  options.kind = SumKind::secure;
  options.assumed = {.corrupt = 0.05, .dropped = 0.3, .crowd = 4};
  std::uint64_t seed = 5;
  const SumMaker secure = [&](SumShape shape) {
    return std::make_unique<SecureCollector>(options, shape, ++seed, executor);
  };
  for (const char* order : {"size>trust", "MW>size"}) {
    const Round open = run_plain(by(order), facts, numbers).value();
    SecureCollector next(options, {numbers.size() + 1, 2}, 1, executor);
    const Round hidden = run(by(order), facts, numbers, secure, next).value();
    EXPECT_EQ(open.weights, hidden.weights);
    // A dense sum names rows of zeros, too.
    for (const auto& [row, values] : open.sums) EXPECT_EQ(hidden.sums.at(row), values) << row;
  }
}

TEST(WeighingCollector, ASecureSumGivesTheSameWeightsWhereSomeKeepBack) {
  SerialExecutor executor;
  SumOptions options;
  options.kind = SumKind::secure;
  options.assumed = {.corrupt = 0.05, .dropped = 0.3, .crowd = 4};
  std::uint64_t seed = 5;
  const SumMaker secure = [&](SumShape shape) {
    return std::make_unique<SecureCollector>(options, shape, ++seed, executor);
  };
  for (const std::size_t tellers : {1u, 7u}) {
    const GivenFacts facts = ten_with_tellers(tellers);
    const std::vector<std::int32_t> given(10, 100);
    SecureCollector next(options, {11, 2}, 1, executor);
    EXPECT_EQ(run(by("trust>size"), facts, given, secure, next).value().weights,
              run_plain(by("trust>size"), facts, given).value().weights);
  }
}

TEST(WeighingCollector, WhoKeepsACriterionBackCountsAsTheMeanAndShowsNothing) {
  std::vector<DeviceFacts> given(4);
  given[0].trust = 0.1, given[1].trust = 0.3, given[2].trust = 0.5, given[3].trust = 0.9;
  GivenFacts facts(given);
  facts.keep_back({"", "", "", "trust"});
  const Round round = run_plain(by("trust"), facts, {5, 5, 5, 5}).value();
  EXPECT_NEAR(round.weights[0], 1.0 / 3.0, 1e-6);
  EXPECT_NEAR(round.weights[1], 1.0, 1e-6);
  EXPECT_NEAR(round.weights[2], 5.0 / 3.0, 1e-6);
  EXPECT_NEAR(round.weights[3], 1.0, 1e-6);
  given[3].trust = 0.2;
  GivenFacts other(given);
  other.keep_back({"", "", "", "trust"});
  const Round same = run_plain(by("trust"), other, {5, 5, 5, 5}).value();
  EXPECT_EQ(same.weights, round.weights);
  EXPECT_EQ(same.sums, round.sums);
  // All keep it back: all alike.
  facts.keep_back({"trust", "trust", "trust", "trust"});
  EXPECT_EQ(run_plain(by("trust"), facts, {5, 5, 5, 5}).value().weights, std::vector<double>(4, 1.0));
}

// A plain sum that writes down what it releases.
class Released final : public Collector {
 public:
  Released(SumShape shape, std::vector<std::int64_t>& sums) : shape_(shape), sum_(shape), sums_(sums) {}
  [[nodiscard]] Status begin(const RoundPlace& place) override { return sum_.begin(place); }
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override {
    return sum_.accept(user, contribution);
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override {
    SumSpace space(shape_.rows, shape_.width);
    Aggregator own(space);
    SOTTO_TRY(const Traffic traffic, sum_.finish(own));
    sums_.assign(shape_.rows * shape_.width, 0);
    std::move(own).release([&](std::uint32_t row, const auto* values) {
      const std::vector<std::int64_t> wide(values, values + shape_.width);
      std::copy(wide.begin(), wide.end(),
                sums_.begin() + static_cast<std::ptrdiff_t>(std::size_t{row} * shape_.width));
      total.add_total(row, wide.data());
    });
    return traffic;
  }

 private:
  SumShape shape_;
  PlainCollector sum_;
  std::vector<std::int64_t>& sums_;
};

TEST(WeighingCollector, WhatFewTellIsNotReleasedAndAllHaveAlikeOfIt) {
  const std::vector<std::int32_t> given(10, 100);
  CriteriaOptions options = by("trust>size");
  for (const std::uint32_t least : {3u, 5u})
    for (std::size_t tellers = 0; tellers <= 6; ++tellers) {
      options.least_tellers = least;
      const GivenFacts facts = ten_with_tellers(tellers);
      std::vector<std::vector<std::int64_t>> released(3);
      std::size_t made = 0;
      const SumMaker maker = [&](SumShape shape) {
        return std::make_unique<Released>(shape, released.at(made++));
      };
      PlainCollector next({given.size() + 1, 2});
      const Round round = run(options, facts, given, maker, next).value();
      EXPECT_EQ(released[2][0], static_cast<std::int64_t>(tellers));
      EXPECT_EQ(released[2][1], 10);
      const bool enough = tellers >= least;
      EXPECT_EQ(released[0][0] != 0, enough) << tellers;
      EXPECT_EQ(released[0][1], enough ? static_cast<std::int64_t>(tellers) : 0);
      EXPECT_EQ(released[0][3], 10) << "size is told by all";
      // Weights without trust: f = 1/10 · (1 + size share), its mean 1/10 · (1 + 1/10).
      for (std::size_t n = 0; n < 10 && !enough; ++n)
        EXPECT_NEAR(round.weights[n], (1.0 + static_cast<double>(n + 1) / 55.0) / 1.1, 1e-6);
      EXPECT_NEAR(std::accumulate(round.weights.begin(), round.weights.end(), 0.0), 10.0, 1e-9);
      EXPECT_EQ(round.weights[0] > 1.2, enough) << "the most trusted of those who tell";
    }
}

TEST(WeighingCollector, WhereEverybodyTellsNobodyCountsTellers) {
  std::size_t made = 0;
  const SumMaker counting = [&](SumShape shape) {
    ++made;
    return std::make_unique<PlainCollector>(shape);
  };
  PlainCollector next({3, 2});
  const Round two = run(by("size>trust"), GivenFacts(alice_and_bob()), {9, 9}, counting, next).value();
  EXPECT_EQ(made, 2u);
  EXPECT_GT(two.weights[0], 1.5) << "few, but nobody keeps anything back";
  GivenFacts some(alice_and_bob());
  some.keep_back({"", "novelty"});
  const Round three = run(by("size>trust"), some, {9, 9}, counting, next).value();
  EXPECT_EQ(made, 5u);
  EXPECT_GT(three.traffic.up, two.traffic.up);
}

TEST(WeighingCollector, WhatCannotBeWeighedIsRefused) {
  const auto words = [](const Result<Round>& round) { return round.ok() ? "" : round.error().message; };
  std::vector<DeviceFacts> given(2);
  EXPECT_NE(words(run_plain(by("trust>size"), GivenFacts(given), {1, 1})).find("criterion size"),
            std::string::npos);
  EXPECT_TRUE(
      words(run_plain(by("trust>size"), GivenFacts(given), {1, 1})).starts_with("round 4:"));  // its fourth
  EXPECT_NE(words(run_plain(by("trust"), GivenFacts(given), {1})).find("this one has 1"), std::string::npos);
  given[0].trust = given[1].trust = 0.0;
  EXPECT_NE(words(run_plain(by("trust"), GivenFacts(given), {1, 1})).find("file of trust"),
            std::string::npos);
  given[0].trust = 1.0, given[1].trust = 2.0;
  EXPECT_NE(words(run_plain(by("trust"), GivenFacts(given), {1, 1})).find("trust"), std::string::npos);
  given[1].trust = 0.0, given[0].trust = 1.0;
  // Two devices of which one has all the weight: twice its numbers do not fit.
  EXPECT_NE(words(run_plain(by("trust"), GivenFacts(given), {(1 << 29) + 1, 1})).find("left the numbers"),
            std::string::npos);
}

// What lies behind the update is a count, which no learning rate makes smaller.
TEST(WeighingCollector, ACountThatDoesNotFitIsNoUpdate) {
  std::vector<DeviceFacts> given(2);
  given[1].trust = 0.0;
  const GivenFacts facts(given);
  PlainCollector next({2, 2});
  WeighingCollector collector(by("trust"), facts, {.fixed = {.bits = 0}, .rows = 1}, plain, next);
  const std::vector<UserIndex> cohort = cohort_of(2);
  const auto refused = [&](std::int32_t update, std::int32_t count) {
    EXPECT_TRUE(collector.begin({0, cohort, nullptr}).ok());
    Contribution contribution = rows_of({{0, update}, {1, count}});
    const Status accepted = collector.accept(cohort[0], contribution);
    return accepted.ok() ? "" : accepted.error().message;
  };
  EXPECT_EQ(refused(5, 1 << 28), "");
  EXPECT_NE(refused(5, (1 << 29) + 1).find("count cannot be sent"), std::string::npos);
  EXPECT_NE(refused((1 << 29) + 1, 5).find("learning rate"), std::string::npos);
}

TEST(WeighingCollector, AnotherOrderFromTheNextRoundOn) {
  const GivenFacts facts(alice_and_bob());
  PlainCollector next({3, 2});
  WeighingCollector collector(by("size>trust"), facts, {}, plain, next);
  const std::vector<UserIndex> cohort = cohort_of(2);
  const auto weight_of_alice = [&] {
    EXPECT_TRUE(collector.begin({0, cohort, nullptr}).ok());
    for (const UserIndex user : cohort) {
      Contribution contribution = rows_of({{0, 1}});
      EXPECT_TRUE(collector.accept(user, contribution).ok());
    }
    SumSpace space(3, 2);
    Aggregator total(space);
    EXPECT_TRUE(collector.finish(total).ok());
    return collector.weights()[0];
  };
  EXPECT_GT(weight_of_alice(), 1.5);
  collector.set_order(parse_order("trust>size").value());
  EXPECT_LT(weight_of_alice(), 1.0);
  collector.set_order(parse_order("trust").value());
  EXPECT_NEAR(weight_of_alice(), 0.4, 1e-6);
}

}  // namespace sotto::fed::weighing_collector_test
