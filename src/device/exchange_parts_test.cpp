// Rounds of several parts on a device: what it gives when, and that it takes no total that cannot be.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "device/secure_part.h"
#include "device/testing/test_device.h"
#include "fed/models/pair_task.h"
#include "fed/models/testing/secure_spec.h"
#include "fed/models/testing/usual_spec.h"

namespace sotto::device::exchange_parts_test {
namespace {

constexpr std::uint32_t popular = 6;

v1::TaskSpec popular_task(bool secure = false) {
  v1::TaskSpec spec = popular_spec(fedease_task, popular, test_items);
  spec.set_name("small");
  spec.set_seed(7);
  if (!secure) return spec;
  sum_securely(spec);
  return spec;
}

std::vector<std::string> names_of(const std::vector<ItemIndex>& items) {
  std::vector<std::string> names;
  for (const ItemIndex item : items) names.push_back(std::to_string(item.value));
  return names;
}

// A first part in the open, of three people. This one has every third item.
class APartInTheOpen : public ::testing::Test {
 protected:
  APartInTheOpen() : server(popular_task()), device(server) { server.told = {3, {0, 2, 3, 4, 6, 8}}; }
  void expect_refused(const std::string& why) {
    const auto next = device.run(server);
    EXPECT_EQ(next.report.ending, Ending::refused_by_device) << next.report.why;
    EXPECT_NE(next.report.why.find(why), std::string::npos) << next.report.why;
    EXPECT_EQ(server.contributions.size(), 1u) << "what follows from it was not given";
    EXPECT_EQ(device.ledger.size(), 1u);
  }
  FakeCoordinator server;
  TestDevice device;
};

TEST_F(APartInTheOpen, DecidesWhatTheNextIsOf) {
  const auto next = device.run(server);
  ASSERT_EQ(next.report.ending, Ending::answered) << next.report.why;
  ASSERT_EQ(server.contributions.size(), 2u);
  ASSERT_EQ(device.ledger.size(), 2u);
  EXPECT_EQ(device.ledger[0].mechanism, "how many people have each item, plain");
  EXPECT_EQ(device.ledger[0].items, names_of(device.history));
  EXPECT_EQ(device.ledger[1].mechanism, "pairs of popular items, plain");
  EXPECT_EQ(device.ledger[1].items, (std::vector<std::string>{"0", "3", "6"}));
  v1::CheckInRequest asked;
  ASSERT_TRUE(asked.ParseFromString(server.last_check_in));
  EXPECT_EQ(asked.parts(), most_parts);
  // The round was answered, whatever the server says.
  EXPECT_EQ(device.run(server).report.ending, Ending::kept_quiet);
}

// Nothing that its person has decides whether a device goes on.
TEST_F(APartInTheOpen, IsTakenThoughItIsOfNothingOfThePersons) {
  server.told.numbers = {1, 2, 4, 5, 7, 8};
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_TRUE(device.ledger[1].items.empty());
}
TEST_F(APartInTheOpen, IsRefusedWhereItNamesWhatTheTaskLacks) {
  server.told.numbers.back() = test_items;
  expect_refused("names what the part does not count");
}
TEST_F(APartInTheOpen, IsRefusedWhereItNamesAnItemTwice) {
  server.told.numbers[1] = 0;
  expect_refused("or one twice");
}
TEST_F(APartInTheOpen, IsRefusedBelowZero) {
  server.told.numbers[0] = -1;
  expect_refused("names what the part does not count");
}
TEST_F(APartInTheOpen, IsRefusedOfNobody) {
  server.told.devices = 0;
  expect_refused("of nobody");
}
TEST_F(APartInTheOpen, IsRefusedWithFewerNames) {
  server.told.numbers.pop_back();
  expect_refused("more or fewer");
}
TEST_F(APartInTheOpen, IsRefusedWhereItDoesNotDecode) {
  server.twist_step = [](v1::StepReply& step) {
    if (step.progress() == v1::StepReply::ANSWER) step.set_data("\xff\xff\xff");
  };
  expect_refused("does not decode");
}
TEST_F(APartInTheOpen, IsRefusedAsTheLast) {
  server.twist_step = [](v1::StepReply& step) {
    if (step.progress() == v1::StepReply::ANSWER) step.set_progress(v1::StepReply::TAKEN);
  };
  expect_refused("out of order");
}
TEST_F(APartInTheOpen, IsRefusedAgainAfterTheLast) {
  server.twist_step = [&](v1::StepReply& step) {
    step.set_progress(v1::StepReply::ANSWER);
    step.set_data(encode_total(server.told));
  };
  const auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::refused_by_device);
  EXPECT_NE(next.report.why.find("out of order"), std::string::npos) << next.report.why;
}

// All of a cohort, with secure sums.
struct SecureParts {
  explicit SecureParts(std::uint32_t cohort = 24) : server(popular_task(true)) {
    server.cohort = cohort;
    for (std::uint32_t n = 0; n < cohort; ++n) devices.emplace_back(server, n + 1);
  }
  std::vector<ExchangeReport> run() { return run_in_turns(server, devices); }
  void expect_all_refuse(const std::string& why) {
    for (const ExchangeReport& report : run()) {
      EXPECT_EQ(report.ending, Ending::refused_by_device);
      EXPECT_NE(report.why.find(why), std::string::npos) << report.why;
    }
    for (const TestDevice& device : devices) EXPECT_EQ(device.ledger.size(), 1u) << "of the first part";
  }
  // Changes the second sum's start.
  template <class Change>
  void twist(const Change& change) {
    server.twist_start = [this, change](v1::SumStart& start) {
      if (server.task.totals.empty()) return;
      SumOffer offer = *decode<SumOffer>(std::as_bytes(std::span(start.offer())));
      change(start, offer);
      const Bytes bytes = encode(offer);
      start.set_offer(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    };
  }
  FakeCoordinator server;
  std::deque<TestDevice> devices;
};

TEST(ASecureRoundOfParts, SumsThePairsOfPopularItems) {
  SecureParts round;
  for (const ExchangeReport& report : round.run()) EXPECT_EQ(report.ending, Ending::answered) << report.why;
  ASSERT_EQ(round.server.task.totals.size(), 1u);
  std::vector<std::int64_t> counts(test_items, 0);
  for (const TestDevice& device : round.devices)
    for (const ItemIndex item : device.history) ++counts[item.value];
  const KeptItems kept = KeptItems::most_popular(counts, popular);
  EXPECT_EQ(round.server.task.totals[0].numbers,
            std::vector<std::int64_t>(kept.items().begin(), kept.items().end()))
      << "no count is told";
  const PairLayout layout(popular);
  std::vector<std::int64_t> pairs(layout.rows() * PairLayout::width, 0);
  for (const TestDevice& device : round.devices) {
    ASSERT_EQ(device.ledger.size(), 2u);
    EXPECT_EQ(device.ledger[0].mechanism, "how many people have each item, secure");
    EXPECT_EQ(device.ledger[1].mechanism, "pairs of popular items, secure");
    std::vector<std::uint32_t> own;
    for (const ItemIndex item : device.history)
      if (kept.place(item.value) != KeptItems::nowhere) own.push_back(kept.place(item.value));
    for (const std::uint32_t high : own) {
      for (const std::uint32_t low : own)
        if (low <= high) ++pairs[layout.pair(high, low)];
      ++pairs[layout.popularity(high)];
    }
    if (!own.empty()) ++pairs[layout.people()];
  }
  EXPECT_EQ(round.server.total, pairs);
}

// Whoever is told other counts than the rest would give pairs that nobody else gives: what they heard draws
// their neighbours, and they sign it.
TEST(ASecureRoundOfParts, RefusesNeighboursWhoHeardOtherTotals) {
  SecureParts round;
  round.twist([](v1::SumStart& start, SumOffer& offer) {
    std::vector<PublicKey> directory(start.directory().size() / sizeof(PublicKey));
    for (std::size_t n = 0; n < directory.size(); ++n)
      ASSERT_TRUE(read_key(std::string_view(start.directory()).substr(n * 32, 32), directory[n]));
    offer.beacon = sum_beacon(offer.session, directory);
  });
  round.expect_all_refuse("everybody's keys");
}

TEST(ASecureRoundOfParts, RefusesAnotherCohortThanGaveBefore) {
  SecureParts fewer;
  fewer.twist([](v1::SumStart& start, SumOffer&) {
    start.mutable_directory()->resize(start.directory().size() - 32);
    start.set_place(std::min(start.place(), 22u));
  });
  for (const ExchangeReport& report : fewer.run()) EXPECT_EQ(report.ending, Ending::refused_by_device);
  SecureParts others;
  others.twist([](v1::SumStart& start, SumOffer&) {
    const Identity strange(Secret(simulated_key(99, "stranger")));
    start.mutable_directory()->replace((start.place() + 1) % 24 * 32, 32, text_of(strange.open()));
  });
  others.expect_all_refuse("not those who gave");
}

TEST(ASecureRoundOfParts, RefusesATotalOfAnotherNumberThanStayed) {
  SecureParts round;
  round.server.twist_step = [&](v1::StepReply& step) {
    if (round.server.task.totals.empty() || step.progress() != v1::StepReply::ANSWER) return;
    PartTotal total = round.server.task.totals[0];
    ++total.devices;
    step.set_data(encode_total(total));
  };
  round.expect_all_refuse("other devices than stayed");
}

// A limit of the server's own would ask how large the person's numbers are.
TEST(ASecureRoundOfParts, RefusesRoomForOtherNumbersThanTheTasks) {
  SecureParts round;
  round.twist([](v1::SumStart&, SumOffer& offer) { offer.range = *plan_range(24, 2); });
  round.expect_all_refuse("room for other numbers");
}

// A server that calls an item something else to one person learns what that one has of it, if the person's
// numbers are added to the others': they are not, because neighbours have one task.
TEST(ASecureRoundOfParts, IsOfNeighboursWithTheSameTask) {
  SecureParts round;
  round.server.spec.set_seed(8);  // whatever differs from what the sum is of
  for (const ExchangeReport& report : round.run())
    EXPECT_NE(report.why.find("everybody's keys"), std::string::npos) << report.why;
  for (const TestDevice& device : round.devices) EXPECT_TRUE(device.ledger.empty()) << "nothing left";
}

template <class M>
std::string text_of_message(const M& message) {
  const Bytes bytes = encode(message);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
template <class M>
M message_in(const std::string& text) {
  return *decode<M>(std::as_bytes(std::span(text)));
}

Contribution too_large_a_contribution() {
  Contribution made(PairLayout::width);
  ContributionPipeline out(ConsentGate({.pi = 1.0}, 0, 0, UserIndex{}), FixedPoint{}, made);
  out.open_row(0)[0] = 2;  // pairs are counted once
  return made;
}

// The second sum of a round with 24 devices, of which some are silent when inputs are due: what each that
// gave says of who stayed.
std::vector<std::string> objections_where(std::uint32_t left) {
  constexpr std::uint32_t cohort = 24;
  v1::TaskSpec spec = popular_task(true);
  spec.mutable_assumed()->set_dropped(0.4);
  Task task = *read_task(spec);
  task.totals.push_back({cohort, {0, 1, 2, 3, 4, 5}});
  std::deque<SumSecrets> secrets;
  std::vector<PublicKey> directory;
  for (std::uint32_t n = 0; n < cohort; ++n)
    directory.push_back(secrets.emplace_back(Secret(simulated_key(7, "member", n))).identity().open());
  SumOffer offer;
  offer.session = 5;
  offer.terms = *sum_terms(cohort, task.assumed);
  offer.range = *plan_range(cohort, task.part().limit);
  offer.entries = static_cast<std::uint32_t>(task.part().sum_numbers());
  offer.beacon = part_beacon(task, offer.session, directory);
  SumServer server(offer, directory);
  v1::SumStart start;
  start.set_offer(text_of_message(offer));
  for (const PublicKey& key : directory) *start.mutable_directory() += text_of(key);
  std::deque<SecurePart> parts;
  for (std::uint32_t n = 0; n < cohort; ++n) {
    parts.emplace_back(task, too_large_a_contribution(), secrets[n], directory);
    start.set_place(n);
    const auto keys = parts[n].after(v1::PHASE_JOIN, start.SerializeAsString());
    EXPECT_TRUE(keys.ok() && server.receive(n, message_in<KeysMessage>(keys->data)).ok());
  }
  EXPECT_TRUE(server.close_keys().ok());
  for (std::uint32_t n = 0; n < cohort; ++n) {
    const auto letters = parts[n].after(v1::PHASE_KEYS, text_of_message(server.keys_for(n)));
    EXPECT_TRUE(letters.ok() && server.receive(n, message_in<LettersMessage>(letters->data)).ok());
  }
  EXPECT_TRUE(server.close_letters().ok());
  for (std::uint32_t n = left; n < cohort; ++n) {
    const auto masked = parts[n].after(v1::PHASE_LETTERS, text_of_message(server.letters_for(n)));
    EXPECT_TRUE(masked.ok() && server.receive(n, message_in<MaskedMessage>(masked->data)).ok());
    EXPECT_TRUE(parts[n].gave_nothing()) << "what does not fit is not given, and does not end the device";
  }
  EXPECT_TRUE(server.close_inputs().ok());
  std::vector<std::string> said;
  for (std::uint32_t n = left; n < cohort; ++n) {
    const auto agreed = parts[n].after(v1::PHASE_MASKED, text_of_message(server.survivors()));
    said.push_back(agreed.ok() ? "" : agreed.error().message);
    EXPECT_EQ(parts[n].stayed().size(), agreed.ok() ? cohort - left : 0u);
  }
  return said;
}

// A server that goes on although few left since the sum before, so that the difference would show them, finds
// no device that reveals anything: the crowd is four, and one of 24 may be corrupt.
TEST(ASecureRoundOfParts, EndsOnEveryDeviceWhereFewLeft) {
  for (const std::uint32_t left : {0u, 1u, 4u, 5u})
    for (const std::string& said : objections_where(left))
      EXPECT_EQ(said.find("difference of both would show them") != std::string::npos, left == 1 || left == 4)
          << left << said;
}

}  // namespace
}  // namespace sotto::device::exchange_parts_test
