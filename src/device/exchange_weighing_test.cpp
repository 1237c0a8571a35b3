// Rounds whose devices count by criteria, on a device: what is told when, and written down for its person.
#include <gtest/gtest.h>

#include "device/testing/test_device.h"
#include "fed/criteria/weighing.h"
#include "privacy/number_rows.h"

namespace sotto::device::exchange_weighing_test {
namespace {

v1::TaskSpec weighed_spec() {
  v1::TaskSpec spec = small_task(test_items);
  v1::Criteria& criteria = *spec.mutable_criteria();
  criteria.set_order("size>recency");
  criteria.set_size_bound(20);
  criteria.set_least_tellers(3);
  return spec;
}

// A coordinator that says what each part of three came to.
class ARoundByCriteria : public ::testing::Test {
 protected:
  ARoundByCriteria() : server(weighed_spec()), device(server) {
    const std::int64_t unit = value_unit;
    totals = {{3, {3, 3}}, {3, {2 * unit, 3, unit, 3}}, {3, {fixed_limit}}};
    for (PartTotal& total : totals) total.numbers.resize(numbers_a_row);
    server.twist_step = [this](v1::StepReply& step) {
      if (step.progress() == v1::StepReply::ANSWER) step.set_data(encode_total(totals.at(heard++)));
    };
  }
  std::vector<std::string> ledger() const {
    std::vector<std::string> lines;
    for (const LedgerEntry& entry : device.ledger) lines.push_back(entry.mechanism);
    return lines;
  }
  void expect_refused(std::size_t given, const std::string& why) {
    const auto next = device.run(server);
    EXPECT_EQ(next.report.ending, Ending::refused_by_device) << next.report.why;
    EXPECT_NE(next.report.why.find(why), std::string::npos) << next.report.why;
    EXPECT_EQ(device.ledger.size(), given) << "what follows from it was not given";
  }
  FakeCoordinator server;
  TestDevice device;
  std::vector<PartTotal> totals;
  std::size_t heard = 0;
};

TEST_F(ARoundByCriteria, IsWrittenDownInWords) {
  const auto next = device.run(server);
  ASSERT_EQ(next.report.ending, Ending::answered) << next.report.why;
  EXPECT_EQ(server.contributions.size(), 4u);
  EXPECT_EQ(ledger(), (std::vector<std::string>{"whether criteria are told, plain",
                                                "criteria, plain, told size and recency",
                                                "a score of criteria, plain", "weighed by criteria, plain"}));
  for (std::size_t part = 0; part < 4; ++part) EXPECT_EQ(device.ledger[part].items.empty(), part < 3);
}

TEST_F(ARoundByCriteria, HasNothingOfWhatIsKeptBack) {
  device.policy.criteria["size"] = false;
  totals[0].numbers[0] = 2;  // too few tell size
  totals[1].numbers[0] = totals[1].numbers[1] = 0;
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_EQ(ledger()[1], "criteria, plain, told recency");
}

TEST_F(ARoundByCriteria, LeavesOutWhatTooFewTell) {
  totals[0].numbers = std::vector<std::int64_t>(numbers_a_row, 0);
  totals[0].numbers[0] = totals[0].numbers[1] = 2;
  totals[1].numbers = std::vector<std::int64_t>(numbers_a_row, 0);
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_EQ(ledger()[1], "criteria, plain, told no criteria");
}

TEST_F(ARoundByCriteria, IsRefusedOfMoreThanToldIt) {
  totals[1].numbers[0] = 4 * std::int64_t{value_unit};
  expect_refused(2, "cannot have added that up");
}
TEST_F(ARoundByCriteria, IsRefusedAboveOne) {
  totals[0].numbers[1] = 3;
  totals[1].numbers[1] = 2;
  totals[1].numbers[0] = 2 * std::int64_t{value_unit} + value_unit / 4;
  expect_refused(2, "of other people than told it, or above 1");
}
TEST_F(ARoundByCriteria, IsRefusedOfOneDevice) {
  totals[0] = {1, std::vector<std::int64_t>(numbers_a_row, 0)};
  totals[0].numbers[0] = totals[0].numbers[1] = 1;
  expect_refused(1, "criteria compare devices");
}

}  // namespace
}  // namespace sotto::device::exchange_weighing_test
