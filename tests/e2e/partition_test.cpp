// A network that breaks between real processes: wires that go down in the middle of rounds, answers that are
// lost, a coordinator that is killed while nobody reaches it. Whichever way a race goes, each device counts
// once in a round, versions stay what they are, and reproducible tasks give the undisturbed model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "privacy/dp/budget.h"
#include "tests/e2e/site.h"

namespace sotto::tests::partition_test {
namespace {

using e2e::End, e2e::Side, e2e::Site;
using nlohmann::json;

constexpr std::uint32_t on_the_left = 8, on_the_right = Site::people - on_the_left;
// Rounds that nobody may miss, and that wait for as long as it takes.
constexpr const char* everybody =
    "goal = 24\nquorum = 24\nover_selection = 1.0\ngather_s = 600\nround_s = 600\nphase_s = 600\n";
constexpr const char* in_secret =
    "sum = \"secure\"\ncorrupt = 0.05\ndropped = 0.1\nleak = 1e-6\nabort = 1e-3\ncrowd = 4\n";
constexpr PrivacyGoal budget{1000.0, 1e-6};
constexpr const char* with_noise = "clip = 0.01\nnoise = 1\nepsilon = 1000\ndelta = 1e-6\n";

void let_pass(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

// What so many releases cost, by the accountant alone.
double cost_of(std::size_t releases) {
  PrivacyBudget own(budget);
  for (std::size_t n = 0; n < releases; ++n)
    EXPECT_TRUE(
        own.charge({.what = "a release", .releases = {.noise = 1.0, .sampling = 1.0, .times = 1}}).ok());
  return own.spent();
}

class Partition : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Site::make();
    if (!made.ok()) GTEST_SKIP() << "no partitions here: " << made.error().message;
    site_ = std::move(*made);
  }

  void play_both() {
    site_->play(Side::left, 0, on_the_left);
    site_->play(Side::right, on_the_left, on_the_right);
  }
  void cut_both() {
    site_->cut(Side::left, End::coordinators);
    site_->cut(Side::right, End::devices);
  }
  void mend_both() {
    site_->mend(Side::left, End::coordinators);
    site_->mend(Side::right, End::devices);
  }
  // The last requests of fleets that were stopped may still be under way.
  json when_it_is_still() {
    json now;
    EXPECT_TRUE(Site::comes([&] {
      const json before = site_->status();
      let_pass(100);
      now = site_->status();
      return before["exchanges"] == now["exchanges"] && before["tasks"] == now["tasks"];
    }));
    return now;
  }
  // Of those that were stopped: nobody was refused, and nobody was asked for a round it had answered.
  static void expect_nothing_refused(const std::vector<json>& reports) {
    for (const json& report : reports) {
      EXPECT_TRUE(report["refusals"].empty()) << report;
      EXPECT_TRUE(report["objections"].empty()) << report;
      EXPECT_EQ(report["endings"]["kept quiet"], 0) << report;
    }
  }
  // Every version has a contribution of everybody, and what was taken since the coordinator's start is in
  // them and in the open round.
  void expect_everybody_counted_once() {
    const json status = when_it_is_still(), versions = site_->versions();
    std::uint64_t taken = 0;
    for (std::size_t n = 0; n < versions.size(); ++n) {
      EXPECT_EQ(versions[n]["version"], n);
      EXPECT_EQ(versions[n]["contributions"], n == 0 ? 0 : Site::people);
      taken += versions[n]["contributions"].get<std::uint64_t>();
    }
    const json& task = status["tasks"][0];
    if (task.contains("open")) taken += task["open"]["contributions"].get<std::uint64_t>();
    EXPECT_EQ(status["exchanges"], taken);
    for (const json& round : site_->rounds()) EXPECT_NE(round["state"], "abandoned") << round;
  }
  void expect_undisturbed(const json& versions) {
    const std::vector<std::string> hashes = site_->undisturbed(versions.size());
    ASSERT_EQ(hashes.size(), versions.size());
    for (std::size_t n = 0; n < hashes.size(); ++n) EXPECT_EQ(versions[n]["model_hash"], hashes[n]) << n;
  }
  static void expect_begins_with(const json& all, const json& first) {
    ASSERT_GE(all.size(), first.size());
    for (std::size_t n = 0; n < first.size(); ++n) EXPECT_EQ(all[n], first[n]);
  }

  std::unique_ptr<Site> site_;
};

struct Sum {
  const char* name;
  const char* words;
  friend void PrintTo(const Sum& one, std::ostream* out) { *out << one.name; }
};
class PartitionInEverySum : public Partition, public testing::WithParamInterface<Sum> {};
INSTANTIATE_TEST_SUITE_P(, PartitionInEverySum, testing::Values(Sum{"Plain", ""}, Sum{"Secure", in_secret}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(PartitionInEverySum, AWireThatGoesDownWithinARoundChangesNothingOnceItIsBack) {
  ASSERT_TRUE(site_->begin(std::string(everybody) + GetParam().words));
  play_both();
  ASSERT_TRUE(site_->comes_to_version(1));
  for (const End end : {End::devices, End::coordinators}) {
    site_->cut(Side::right, end);
    const std::uint32_t at_the_cut = site_->version();
    // Those who still reach it join the round, which waits for the others.
    ASSERT_TRUE(Site::comes([&] {
      const json task = site_->task();
      return task.contains("open") && task["open"]["assigned"] >= on_the_left;
    }));
    let_pass(1000);
    const std::uint32_t held_up = site_->version();
    EXPECT_LE(held_up, at_the_cut + 1) << "at most what was under way can be finished";
    site_->mend(Side::right, end);
    ASSERT_TRUE(site_->comes_to_version(held_up + 2));
  }
  expect_nothing_refused(site_->stop_fleets());
  expect_everybody_counted_once();
  expect_undisturbed(site_->versions());
}

TEST_P(PartitionInEverySum, AnswersThatAreLostAreGivenAgainAndNothingIsCountedOrChargedTwice) {
  ASSERT_TRUE(site_->begin(std::string(everybody) + with_noise + GetParam().words));
  site_->play(Side::right, 0, Site::people, {"--timeout", "1", "--threads", "24", "--delay", "30"});
  ASSERT_TRUE(site_->comes_to_version(1));
  const bool plain = std::string(GetParam().name) == "Plain";
  const auto steps = [&] { return site_->metric("sotto_calls_total{method=\"Step\"}"); };
  const auto contributions = [&] { return site_->metric("sotto_exchanges_total"); };
  // One step makes a plain contribution: what is beyond them came again. A secure one has many, and polls.
  const auto arrived = [&] { return plain ? contributions() : steps(); };
  const auto came_again = [&] {
    const std::uint64_t first = steps();
    return !plain || first > contributions();
  };
  // Until something has arrived whose answer was lost, for longer than its device waits for it.
  bool lost = false;
  for (int tries = 0; tries < 50 && !lost; ++tries) {
    site_->lose_answers(Side::right);
    const std::uint64_t before = arrived();
    let_pass(1800);
    const bool some = arrived() > before;
    site_->find_answers(Side::right);
    ASSERT_TRUE(site_->comes_to_version(site_->version() + 1));
    lost = some && came_again();
  }
  EXPECT_TRUE(lost);
  expect_nothing_refused(site_->stop_fleets());
  expect_everybody_counted_once();
  const json versions = site_->versions();
  EXPECT_DOUBLE_EQ(site_->task()["privacy"]["spent"].get<double>(), cost_of(versions.size() - 1));
  expect_undisturbed(versions);
}

TEST_F(Partition, ARoundThatMissesItsQuorumIsGivenUpAndSaysSoAndLaterOnesCommit) {
  static constexpr std::uint32_t quorum = 20;
  const auto task = [](int round_s) {
    return fmt::format("goal = 24\nquorum = {}\nover_selection = 1.0\ngather_s = 0.2\nround_s = {}\n{}",
                       quorum, round_s, with_noise);
  };
  const auto newest_round = [&] { return site_->rounds().back()["round"].get<std::uint32_t>(); };
  const auto ended_after = [&](std::uint32_t round) {
    const json rounds = site_->rounds();
    return std::count_if(rounds.begin(), rounds.end(),
                         [&](const json& one) { return one["round"] > round && one["state"] != "open"; });
  };
  ASSERT_TRUE(site_->begin(task(600)));
  play_both();
  ASSERT_TRUE(site_->comes_to_version(1));
  site_->reload(task(1));
  const std::uint32_t last_long_one = newest_round();
  ASSERT_TRUE(Site::comes([&] { return newest_round() > last_long_one; }));
  site_->cut(Side::right, End::devices);
  const std::uint32_t at_the_cut = newest_round();
  ASSERT_TRUE(Site::comes([&] { return ended_after(at_the_cut) >= 1; }));
  const std::uint32_t stays = site_->version();
  ASSERT_TRUE(Site::comes([&] { return ended_after(at_the_cut) >= 2; }));
  EXPECT_EQ(site_->version(), stays) << "too few are left for a version";
  site_->reload(task(600));
  site_->mend(Side::right, End::devices);
  ASSERT_TRUE(site_->comes_to_version(stays + 2));
  for (const json& report : site_->stop_fleets()) {
    EXPECT_EQ(report["endings"]["kept quiet"], 0) << report;
    EXPECT_TRUE(report["objections"].empty()) << report;
  }
  const json status = when_it_is_still(), rounds = site_->rounds();
  std::size_t committed = 0;
  for (std::size_t n = 0; n < rounds.size(); ++n) {
    EXPECT_EQ(rounds[n]["round"], n) << "no number is used twice";
    const auto given = rounds[n]["contributions"].get<std::uint64_t>();
    if (rounds[n]["state"] == "committed") {
      EXPECT_GE(given, quorum);
      ++committed;
    } else if (rounds[n]["state"] == "abandoned") {
      EXPECT_EQ(rounds[n]["why"], fmt::format("{} contributions came, the quorum is {}", given, quorum));
    }
  }
  EXPECT_EQ(site_->versions().size(), committed + 1);
  EXPECT_DOUBLE_EQ(status["tasks"][0]["privacy"]["spent"].get<double>(), cost_of(committed));
}

TEST_P(PartitionInEverySum, ACoordinatorKilledWhileCutOffKeepsItsVersionsAndLosesOneRoundAtMost) {
  ASSERT_TRUE(site_->begin(std::string(everybody) + GetParam().words));
  play_both();
  ASSERT_TRUE(site_->comes_to_version(2));
  cut_both();
  const json at_the_cut = site_->versions();
  site_->kill_coordinator();
  ASSERT_TRUE(site_->serve());
  const json versions = site_->versions(), rounds = site_->rounds();
  expect_begins_with(versions, at_the_cut);
  EXPECT_LE(versions.size(), at_the_cut.size() + 1) << "at most what was under way was finished";
  mend_both();
  ASSERT_TRUE(site_->comes_to_version(versions.back()["version"].get<std::uint32_t>() + 2));
  for (const json& report : site_->stop_fleets()) {
    EXPECT_EQ(report["endings"]["kept quiet"], 0) << report;
    EXPECT_FALSE(report["refusals"].contains("REFUSAL_DUPLICATE")) << report;
    EXPECT_TRUE(report["objections"].empty()) << report;
  }
  (void)when_it_is_still();
  const json later = site_->versions(), all = site_->rounds();
  expect_begins_with(later, versions);
  expect_begins_with(all, rounds);
  for (std::size_t n = 1; n < later.size(); ++n) EXPECT_EQ(later[n]["contributions"], Site::people) << n;
  for (std::size_t n = 0; n < all.size(); ++n) {
    EXPECT_EQ(all[n]["round"], n) << "no number is used twice";
    if (all[n]["state"] != "abandoned") continue;
    EXPECT_EQ(n + 1, rounds.size()) << "only the round that was open when it was killed";
    EXPECT_EQ(all[n]["why"], "the coordinator was started anew");
  }
  expect_undisturbed(versions);
}

}  // namespace
}  // namespace sotto::tests::partition_test
