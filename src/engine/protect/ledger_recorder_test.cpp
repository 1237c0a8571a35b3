#include "engine/protect/ledger_recorder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "data/membership.h"
#include "data/pair_sampler.h"
#include "engine/plan/device_folder.h"

namespace sotto::engine {
namespace {

namespace fs = std::filesystem;

// Says how many lines the ledger has when a contribution arrives, and lets every round fail.
class Broken final : public Collector {
 public:
  explicit Broken(const DeviceFolder& folder) : folder_(folder) {}
  [[nodiscard]] Status begin(const RoundPlace&) override { return Done{}; }
  [[nodiscard]] Status accept(UserIndex, Contribution&) override {
    SOTTO_TRY(const LedgerReading reading, folder_.ledger());
    lines.push_back(reading.entries.size());
    return Done{};
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator&) override { return fail(Code::io, "no answer"); }

  std::vector<std::size_t> lines;

 private:
  const DeviceFolder& folder_;
};

class LedgerRecorders : public ::testing::Test {
 protected:
  LedgerRecorders() : folder_(fs::temp_directory_path() / ("sotto-recorder-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_.path());
    for (const char* name : {"a", "b", "c"}) items_.intern(name);
  }
  ~LedgerRecorders() override { fs::remove_all(folder_.path()); }

  // A round of both people, which fails.
  void run_round(Mechanism mechanism, Collector& next) {
    const Histories histories({0, 1, 3}, {ItemIndex{1}, ItemIndex{0}, ItemIndex{2}});
    LedgerOwner owner{.user = {1},
                      .model = find_model("fedease").value(),
                      .histories = histories,
                      .items = items_,
                      .plan = {}};
    LedgerRecorder recorder(std::move(owner), std::move(mechanism), folder_.open_or_make().value(), next);
    const std::vector<UserIndex> cohort{{0}, {1}};
    ASSERT_TRUE(recorder.begin({7, cohort, nullptr}).ok());
    Contribution contribution(4);
    for (const UserIndex user : cohort) ASSERT_TRUE(recorder.accept(user, contribution).ok());
    SumSpace space(1, 4);
    Aggregator total(space);
    EXPECT_FALSE(recorder.finish(total).ok());
  }

  DeviceFolder folder_;
  IdTable items_;
};

TEST_F(LedgerRecorders, ALineIsWrittenBeforeTheContributionGoesOn) {
  Broken next(folder_);
  run_round({}, next);
  EXPECT_EQ(next.lines, (std::vector<std::size_t>{0, 1}));
  const LedgerReading reading = folder_.ledger().value();
  ASSERT_EQ(reading.entries.size(), 1u);  // although the round failed
  EXPECT_EQ(reading.entries[0].round, 7u);
  EXPECT_EQ(reading.entries[0].items, (std::vector<std::string>{"a", "c"}));
  EXPECT_TRUE(reading.entries[0].bytes);
}

// A KGFlex visit draws its pairs: what was not drawn, or not let out, is in no message.
TEST_F(LedgerRecorders, OfKgflexALineHoldsWhatTheVisitsPairsLetOut) {
  std::vector<ItemIndex> own;
  for (std::uint32_t item = 0; item < 20; ++item) own.push_back({item});
  IdTable names;
  for (int item = 0; item < 40; ++item) names.intern(std::to_string(item));
  const Histories histories({0, 0, own.size()}, own);
  Plan plan;
  plan.triples = 6;
  plan.consent = {0.5, MaskKind::redraw};
  LedgerOwner owner{.user = {1},
                    .model = find_model("kgflex").value(),
                    .histories = histories,
                    .items = names,
                    .plan = plan,
                    .catalogue = 40};
  Broken next(folder_);
  LedgerRecorder recorder(std::move(owner), {}, folder_.open_or_make().value(), next);
  const std::vector<UserIndex> cohort{{1}};
  Contribution contribution(4);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, {1}), {}, contribution);
  ASSERT_NE(pipeline.open_row(2), nullptr);
  ASSERT_TRUE(recorder.begin({7, cohort, nullptr}).ok());
  ASSERT_TRUE(recorder.accept({1}, contribution).ok());

  const Membership consumed(histories, 40);
  const PairSampler sampler(histories, consumed, 40, plan.seed);
  ConsentGate gate(plan.consent, plan.seed, 7, {1});
  std::set<std::uint32_t> expected;
  for (std::uint32_t t = 0; t < 6; ++t)
    if (const ItemIndex item = sampler.draw(7, {1}, t).positive; gate.allows(Evidence::positive, item.value))
      expected.insert(item.value);
  const LedgerReading reading = folder_.ledger().value();
  ASSERT_EQ(reading.entries.size(), 1u);
  std::set<std::uint32_t> said;
  for (const std::string& name : reading.entries[0].items)
    said.insert(static_cast<std::uint32_t>(std::stoul(name)));
  EXPECT_EQ(said, expected);
  EXPECT_LT(said.size(), 6u);
  EXPECT_FALSE(said.empty());
}

TEST_F(LedgerRecorders, WhatIsNotKnownYetIsNotSaid) {
  Broken next(folder_);
  run_round({.name = "secure, distributed noise", .epsilon = [] { return 1.5; }, .keeps_size = false}, next);
  const LedgerReading reading = folder_.ledger().value();
  ASSERT_EQ(reading.entries.size(), 1u);
  EXPECT_FALSE(reading.entries[0].bytes);
  EXPECT_EQ(reading.entries[0].epsilon, 1.5);
}

}  // namespace
}  // namespace sotto::engine
