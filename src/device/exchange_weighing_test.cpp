// Rounds whose devices count by criteria, on a device: what is told when, and written down for its person.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "device/testing/test_device.h"
#include "fed/criteria/weighing.h"
#include "fed/models/testing/secure_spec.h"
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

// A secure round of 24 devices, all of whom are told what `lie` makes of a part: what each then does, and
// what is summed of them.
struct SecretRound {
  explicit SecretRound(const std::function<void(std::size_t part, PartTotal&)>& lie) : server(spec()) {
    server.cohort = 24;
    server.twist_total = [&, lie](PartTotal& told) { lie(server.task.totals.size(), told); };
    for (std::uint32_t n = 0; n < server.cohort; ++n) devices.emplace_back(server, n + 1);
    std::vector<bool> over(devices.size(), false);
    for (int turn = 0; turn < 400; ++turn, server.now_ms += 10)
      for (std::size_t n = 0; n < devices.size(); ++n) {
        if (over[n]) continue;
        const auto next = *devices[n].exchange->advance(server, server.now_ms);
        over[n] = next.what != Exchange::Next::What::wait;
        if (over[n]) reports.push_back(next.report);
      }
  }
  static v1::TaskSpec spec() {
    v1::TaskSpec made = weighed_spec();
    sum_securely(made);
    made.mutable_criteria()->set_least_tellers(4);
    return made;
  }
  void expect_all_answer() const {
    ASSERT_EQ(reports.size(), devices.size());
    for (const ExchangeReport& report : reports) EXPECT_EQ(report.ending, Ending::answered) << report.why;
  }
  FakeCoordinator server;
  std::deque<TestDevice> devices;
  std::vector<ExchangeReport> reports;
};

// If who tells a criterion ended where they are told that nobody does, the server would know who tells it.
TEST(ASecureRoundByCriteria, GoesOnWhateverAPersonGave) {
  const SecretRound round([](std::size_t part, PartTotal& told) {
    if (part == 0) told.numbers[0] = 0;
  });
  round.expect_all_answer();
  EXPECT_EQ(round.devices[0].ledger[1].mechanism, "criteria, secure, told recency");
}

// As well where they are told a mean that makes their weight too large to be sent: they give zeros.
TEST(ASecureRoundByCriteria, GoesOnWithZerosWhereANumberDoesNotFit) {
  const SecretRound round([](std::size_t part, PartTotal& told) {
    if (part == 2) told.numbers[0] = 1;
  });
  round.expect_all_answer();
  EXPECT_TRUE(std::ranges::all_of(round.server.total, [](std::int64_t number) { return number == 0; }));
  const LedgerEntry& last = round.devices[0].ledger.back();
  EXPECT_EQ(last.mechanism, "weighed by criteria, secure, zeros alone: its numbers cannot be sent");
  EXPECT_TRUE(last.items.empty());
}

}  // namespace
}  // namespace sotto::device::exchange_weighing_test
