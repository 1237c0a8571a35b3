#include "privacy/audit/investigation.h"

#include <gtest/gtest.h>

#include "privacy/audit/testing/small_federation.h"

namespace sotto::privacy::investigation_test {

using audit_test::grouped;
using audit_test::SmallFederation;
using audit_test::SmallOptions;

Histories histories_of(const SmallFederation& world, std::uint32_t users) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < users; ++user) {
    items.insert(items.end(), world.history(user).begin(), world.history(user).end());
    offsets.push_back(items.size());
  }
  return {std::move(offsets), std::move(items)};
}

double mean_f1(const std::vector<LeakFigures>& figures) {
  double sum = 0.0;
  for (const LeakFigures& one : figures) sum += one.f1 / static_cast<double>(figures.size());
  return sum;
}

std::vector<Findings> investigated(std::size_t group, int rounds) {
  const SmallOptions options;
  SmallFederation world(options);
  const Histories histories = histories_of(world, options.users);
  TranscriptHead head = world.head();
  head.group = static_cast<std::uint32_t>(group);
  head.view = group == 1 ? View::plain : View::secure;
  SerialExecutor serial;
  auto opened = Investigation::open(head, histories, {.people = 0});
  EXPECT_TRUE(opened.ok());
  EXPECT_EQ(opened->known() + opened->judged(), options.users);
  for (int n = 0; n < rounds; ++n) {
    SeenRound round = world.play();
    if (group > 1) round = grouped(round, group, options.factors + 1);
    opened->observe(round, serial);
  }
  return opened->findings(serial);
}

TEST(Investigation, SingleMessagesGiveAwayTheJudged) {
  const std::vector<Findings> findings = investigated(1, 6);
  ASSERT_EQ(findings.size(), every_attacker.size());
  EXPECT_EQ(findings[0].attacker, Attacker::popularity);
  EXPECT_LT(mean_f1(findings[0].informed), 0.3);
  for (const Findings& found : findings) {
    EXPECT_EQ(found.informed.size(), 12u);
    if (found.attacker != Attacker::match && found.attacker != Attacker::shadow) continue;
    EXPECT_TRUE(found.uses_evidence);
    EXPECT_GT(mean_f1(found.informed), 0.95) << code_of(found.attacker);
  }
}

TEST(Investigation, OneSumOverEverybodyLeavesThePrior) {
  const std::vector<Findings> findings = investigated(24, 4);
  for (const Findings& found : findings) {
    EXPECT_FALSE(found.uses_evidence) << code_of(found.attacker);
    for (std::size_t n = 0; n < found.informed.size(); ++n)
      EXPECT_EQ(found.informed[n].auc, findings[0].informed[n].auc) << code_of(found.attacker);
  }
}

TEST(Investigation, OtherDataIsRefused) {
  const SmallOptions options;
  SmallFederation world(options);
  const Histories fewer = histories_of(world, options.users - 1);
  EXPECT_EQ(Investigation::open(world.head(), fewer, {}).error().code, Code::incompatible);
  const Histories all = histories_of(world, options.users);
  EXPECT_EQ(Investigation::open(world.head(), all, {.people = 3}).error().code, Code::bad_input);
}

}  // namespace sotto::privacy::investigation_test
