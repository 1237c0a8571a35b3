#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "privacy/number_rows.h"
#include "sim/round_steps.h"
#include "sim/thread_pool.h"

namespace sotto::sim::round_driver_test {

struct BoxSeat : RowSums {
  explicit BoxSeat(std::size_t most) : RowSums(1, numbers_a_row), box(most, Contribution(numbers_a_row)) {}
  [[nodiscard]] Contribution& sent(std::size_t n) { return box[n]; }

  std::vector<Contribution> box;
};

// Each device sends its number and 1; the server adds the sum to its own.
class Numbers final : public RoundDriver<Numbers, BoxSeat> {
 public:
  Numbers(Executor& executor, std::size_t devices, std::size_t at_once, std::size_t devices_a_lane,
          Path path = Path::fast)
      : RoundDriver(executor, path), at_once_(at_once), people_(devices) {
    for (std::uint32_t n = 0; n < devices; ++n) people_[n] = UserIndex{n};
    open_lanes(devices, devices_a_lane, at_once);
    state_.shared = RowMatrix(1, 2);
  }
  [[nodiscard]] float sum() const { return state_.shared.row(0)[0]; }
  [[nodiscard]] float count() const { return state_.shared.row(0)[1]; }

  std::set<std::uint32_t> silent_rounds;       // in which nobody answers
  std::uint32_t breaks = UINT32_MAX;           // this device
  std::vector<std::uint32_t> ended, restores;  // rounds

 private:
  friend RoundDriver;

  [[nodiscard]] Users cohort() const { return silent_rounds.contains(state_.round) ? Users() : people_; }
  [[nodiscard]] std::uint64_t bytes_down() const { return 8; }
  [[nodiscard]] std::size_t at_once() const { return at_once_; }
  [[nodiscard]] Status answer(Users users, Lane& lane) const {
    EXPECT_GE(at_once_, users.size());
    for (std::size_t n = 0; n < users.size(); ++n) {
      if (users[n].value == breaks) return fail(Code::diverged, "it broke");
      NumberRows rows(lane.box[n]);
      rows.put(0, static_cast<std::int32_t>(users[n].value));
      rows.put(1, 1);
      ++lane.counts.triples;
    }
    return Done{};
  }
  [[nodiscard]] Status release(Aggregator&& total) {
    std::move(total).release([&](std::uint32_t, const auto* sums) {
      for (std::size_t k = 0; k < 2; ++k) state_.shared.row(0)[k] += static_cast<float>(sums[k]);
    });
    return Done{};
  }
  [[nodiscard]] Status end_round() {
    ended.push_back(state_.round);
    return Done{};
  }
  void restored() { restores.push_back(state_.round); }

  std::size_t at_once_;
  std::vector<UserIndex> people_;
};

// Notes what comes in, and from whom, on its way to a plain sum.
class Noting final : public Collector {
 public:
  [[nodiscard]] Status begin(const RoundPlace& place) override {
    begun.push_back(place.round);
    return sum_.begin(place);
  }
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override {
    heard.push_back(user.value);
    EXPECT_EQ(contribution.values(0)[0], static_cast<std::int32_t>(user.value));
    return sum_.accept(user, contribution);
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override { return sum_.finish(total); }

  std::vector<std::uint32_t> begun, heard;

 private:
  PlainCollector sum_{{1, numbers_a_row}};
};

TEST(RoundDriver, EveryWayGivesTheSameSumAndTheSameBytes) {
  for (const std::size_t devices : {1u, 7u, 30u})
    for (const std::size_t threads : {1u, 2u, 3u})
      for (const std::size_t at_once : {1u, 4u})
        for (const std::size_t devices_a_lane : {1u, 8u}) {
          ThreadPool pool(threads);
          Numbers straight(pool, devices, at_once, devices_a_lane);
          Numbers wire(pool, devices, at_once, devices_a_lane, Path::wire);
          Numbers collected(pool, devices, at_once, devices_a_lane);
          Noting collector;
          collected.collect_with(collector);
          const RoundReport report = straight.run(2).value();
          EXPECT_EQ(straight.sum(), static_cast<float>(devices * (devices - 1)));
          EXPECT_EQ(straight.count(), static_cast<float>(2 * devices));
          EXPECT_EQ(report.rounds, 2u);
          EXPECT_EQ(report.exchanges, 2 * devices);
          EXPECT_EQ(report.triples, 2 * devices);
          EXPECT_EQ(report.bytes_down, 2 * devices * 8);
          for (Numbers* other : {&wire, &collected}) {
            const RoundReport theirs = other->run(2).value();
            EXPECT_EQ(other->sum(), straight.sum());
            EXPECT_EQ(other->count(), straight.count());
            EXPECT_EQ(theirs.bytes_up, report.bytes_up);
            EXPECT_EQ(theirs.triples, report.triples);
          }
          // In the cohort's order, whoever computed first.
          std::vector<std::uint32_t> expected(devices);
          std::iota(expected.begin(), expected.end(), 0u);
          for (std::uint32_t n = 0; n < devices; ++n) expected.push_back(n);
          EXPECT_EQ(collector.heard, expected) << devices << ' ' << threads << ' ' << at_once;
        }
}

TEST(RoundDriver, WhereNobodyAnswersTheRoundPasses) {
  SerialExecutor serial;
  Numbers driver(serial, 5, 1, 1);
  Noting collector;
  driver.collect_with(collector);
  driver.silent_rounds = {1, 2};
  const RoundReport report = driver.run(4).value();
  EXPECT_EQ(report.rounds, 4u);
  EXPECT_EQ(report.exchanges, 10u);
  EXPECT_EQ(driver.state().round, 4u);
  EXPECT_EQ(collector.begun, (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(driver.ended, (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST(RoundDriver, AFailureIsToldAndARestoredRoundKnowsNothingOfIt) {
  for (const std::size_t threads : {1u, 3u}) {
    ThreadPool pool(threads);
    Numbers driver(pool, 9, 2, 2);
    ASSERT_TRUE(driver.run(1).ok());
    const FederationState before = driver.state();
    driver.breaks = 8;
    const auto broken = driver.run(1);
    ASSERT_FALSE(broken.ok());
    EXPECT_EQ(broken.error().message, "it broke");
    driver.breaks = UINT32_MAX;
    driver.restore(before);
    EXPECT_EQ(driver.restores, (std::vector<std::uint32_t>{1}));
    ASSERT_TRUE(driver.run(1).ok());
    EXPECT_EQ(driver.count(), 18.0f);
    EXPECT_EQ(driver.state().round, 2u);
  }
}

}  // namespace sotto::sim::round_driver_test
