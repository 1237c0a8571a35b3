#include "lab/ledger_recorder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "lab/device_folder.h"

namespace sotto {
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
    LedgerOwner owner{
        .user = {1}, .model = ModelKind::fedease, .histories = histories, .items = items_, .plan = {}};
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

TEST_F(LedgerRecorders, WhatIsNotKnownYetIsNotSaid) {
  Broken next(folder_);
  run_round({.name = "secure, distributed noise", .epsilon = [] { return 1.5; }, .keeps_size = false}, next);
  const LedgerReading reading = folder_.ledger().value();
  ASSERT_EQ(reading.entries.size(), 1u);
  EXPECT_FALSE(reading.entries[0].bytes);
  EXPECT_EQ(reading.entries[0].epsilon, 1.5);
}

}  // namespace
}  // namespace sotto
