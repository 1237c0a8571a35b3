#include "privacy/audit/attack.h"

#include <gtest/gtest.h>

#include "privacy/audit/leak_figures.h"
#include "privacy/audit/linker.h"
#include "privacy/audit/testing/small_federation.h"

namespace sotto::privacy::attack_test {

using audit_test::grouped;
using audit_test::SmallFederation;
using audit_test::SmallOptions;

std::vector<UserIndex> everybody(std::uint32_t users) {
  std::vector<UserIndex> all;
  for (std::uint32_t user = 0; user < users; ++user) all.push_back({user});
  return all;
}

LeakFigures mean_figures(const Attack& attack, Attacker attacker, const SmallFederation& world) {
  LeakFigures mean;
  for (std::size_t n = 0; n < attack.targets().size(); ++n)
    mean += judge_ranking(attack.evidence(attacker, n), world.history(attack.targets()[n].value));
  const auto people = static_cast<double>(attack.targets().size());
  return {mean.auc / people, mean.f1 / people, mean.tpr / people, mean.named / people};
}

Attack attacked(SmallFederation& world, const SmallOptions& options, int rounds, std::size_t group = 1) {
  SerialExecutor serial;
  TranscriptHead head = world.head();
  head.group = static_cast<std::uint32_t>(group);
  Attack attack(head, everybody(options.users));
  for (int n = 0; n < rounds; ++n) {
    const SeenRound round = world.play();
    attack.observe(group == 1 ? round : grouped(round, group, options.factors + 1), serial);
  }
  return attack;
}

TEST(Attack, FindsTheHistoryThoughNoPositiveUpdateLeaves) {
  const SmallOptions options;
  SmallFederation world(options);
  const Attack attack = attacked(world, options, 6);
  EXPECT_GT(mean_figures(attack, Attacker::match, world).f1, 0.95);
  EXPECT_GT(mean_figures(attack, Attacker::two_round, world).f1, 0.8);
  EXPECT_GT(mean_figures(attack, Attacker::absence, world).auc, 0.55);
  for (std::size_t n = 0; n < options.users; ++n)
    for (const ItemIndex item : world.history(static_cast<std::uint32_t>(n)))
      EXPECT_FALSE(attack.sent_as_own(n, item));
}

TEST(Attack, CountsExactlyThePositiveUpdatesThatLeave) {
  SmallOptions options;
  options.pi = 1.0;
  SmallFederation world(options);
  const Attack attack = attacked(world, options, 6);
  EXPECT_GT(mean_figures(attack, Attacker::bias_sum, world).f1, 0.95);
  std::size_t sent = 0, wrong = 0;
  for (std::size_t n = 0; n < options.users; ++n)
    for (std::uint32_t item = 0; item < options.items; ++item) {
      const auto& history = world.history(static_cast<std::uint32_t>(n));
      const bool own = std::binary_search(history.begin(), history.end(), ItemIndex{item});
      sent += own && attack.sent_as_own(n, {item}) ? 1 : 0;
      wrong += !own && attack.sent_as_own(n, {item}) ? 1 : 0;
    }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(sent, options.users * options.history * 95 / 100);
}

TEST(Attack, SurvivesNoiseThatStopsTheExactMatch) {
  SmallOptions options;
  options.noise_sd = 0.05;
  options.pi = 1.0;
  SmallFederation world(options);
  const Attack attack = attacked(world, options, 6);
  EXPECT_GT(mean_figures(attack, Attacker::bias_sum, world).auc, 0.95);
  EXPECT_GT(mean_figures(attack, Attacker::match, world).auc, 0.8);
}

TEST(Attack, OfAGroupsSumKnowsTheSameAboutEachMember) {
  SmallOptions options;
  SmallFederation world(options);
  const Attack attack = attacked(world, options, 3, options.users);
  for (const Attacker attacker : {Attacker::bias_sum, Attacker::absence, Attacker::match, Attacker::taste})
    for (std::size_t n = 1; n < options.users; ++n)
      EXPECT_EQ(attack.evidence(attacker, n), attack.evidence(attacker, 0)) << code_of(attacker);
  // One sum over everybody leaves nothing to subtract from it.
  EXPECT_EQ(attack.evidence(Attacker::difference, 3), std::vector<float>(options.items, 0.0f));
}

TEST(Attack, DifferencesAreTheMeanWithMinusTheMeanWithout) {
  TranscriptHead head = SmallFederation(SmallOptions{}).head();
  head.users = 3, head.catalogue = 2, head.width = 2;
  SerialExecutor serial;
  Attack attack(head, everybody(3));
  const auto units = [&](double value) { return static_cast<std::int64_t>(value / head.unit()); };
  const auto message = [&](std::vector<std::uint32_t> members, double first, double second) {
    return SeenMessage{std::move(members), {0, 1}, {0, units(first), 0, units(second)}};
  };
  attack.observe({0, RowMatrix(2, 2), {message({0, 1}, 1.0, 0.5), message({2}, 0.25, 0.0)}}, serial);
  attack.observe({1, RowMatrix(2, 2), {message({0}, 0.75, 0.25)}}, serial);
  // Person 0: (1/2 + .75)/2 against .25; (.25 + .25)/2 against 0.
  EXPECT_FLOAT_EQ(attack.evidence(Attacker::difference, 0)[0], 0.375f);
  EXPECT_FLOAT_EQ(attack.evidence(Attacker::difference, 0)[1], 0.25f);
}

TEST(Linker, GivesShuffledMessagesTheirNamesBack) {
  SmallOptions options;
  SmallFederation world(options);
  Linker linker(world.head());
  std::size_t right = 0, all = 0;
  for (int n = 0; n < 4; ++n) {
    SeenRound round = world.play();
    std::reverse(round.messages.begin(), round.messages.end());
    std::vector<std::uint32_t> truth;
    for (SeenMessage& message : round.messages) {
      truth.push_back(message.members.front());
      if (n > 0) message.members.clear();
    }
    linker.name_messages(round);
    for (std::size_t m = 0; m < truth.size(); ++m) {
      ASSERT_EQ(round.messages[m].members.size(), 1u);
      right += round.messages[m].members.front() == truth[m] ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(right * 100, all * 95);
}

TEST(Attack, IsTheSameForAnyNumberOfThreads) {
  struct Backwards final : Executor {
    [[nodiscard]] std::size_t threads() const override { return 5; }
    void run(std::size_t shards, const std::function<void(std::size_t)>& work) override {
      for (std::size_t shard = shards; shard-- > 0;) work(shard);
    }
  };
  SmallOptions options;
  options.pi = 0.5;
  SmallFederation one_world(options), other_world(options);
  const Attack one = attacked(one_world, options, 2);
  Backwards backwards;
  Attack other(other_world.head(), everybody(options.users));
  for (int n = 0; n < 2; ++n) other.observe(other_world.play(), backwards);
  for (const Attacker attacker : {Attacker::bias_sum, Attacker::match, Attacker::two_round, Attacker::taste})
    for (std::size_t n = 0; n < options.users; ++n)
      ASSERT_EQ(one.evidence(attacker, n), other.evidence(attacker, n));
}

TEST(Attack, NamesAreReadBack) {
  for (const SeenModel model : {SeenModel::fpl, SeenModel::kgflex})
    for (const Attacker attacker : attackers_of(model))
      EXPECT_EQ(*parse_attacker(code_of(attacker)), attacker);
  EXPECT_EQ(parse_attacker("A9").error().code, Code::usage);
}

}  // namespace sotto::privacy::attack_test
