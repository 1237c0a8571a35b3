// Exchanges of secure rounds: the sum is the plain one, and a device holds the server to its own terms.
#include <deque>

#include "device/testing/test_device.h"
#include "fed/models/testing/secure_spec.h"
#include "fed/wire/device_fit.h"

namespace sotto::device::exchange_secure_test {
namespace {

v1::TaskSpec secure_task() {
  v1::TaskSpec spec = small_task(test_items);
  sum_securely(spec);
  return spec;
}

struct SecureRound {
  explicit SecureRound(std::uint32_t cohort) : server(secure_task()) {
    server.cohort = cohort;
    for (std::uint32_t n = 0; n < cohort; ++n) devices.emplace_back(server, n + 1);
  }
  std::vector<ExchangeReport> run() { return run_in_turns(server, devices); }
  FakeCoordinator server;
  std::deque<TestDevice> devices;
};

TEST(ASecureExchange, GivesThePlainSum) {
  SecureRound round(24);
  std::vector<std::int64_t> plain(test_items * round.server.master.width(), 0);
  for (TestDevice& device : round.devices) {
    const DeviceStreams streams{(*device.kept->enrolment())->own_seed, UserIndex{0}};
    DeviceFit fit(round.server.task, streams, device.history, ConsentTerms{});
    Private<RowMatrix> own = fit.start();
    const Contribution& one = **fit.fit(0, round.server.master, own.on_device());
    for (std::size_t n = 0; n < one.size(); ++n)
      for (std::size_t k = 0; k < one.width(); ++k) plain[one.row(n) * one.width() + k] += one.values(n)[k];
  }
  for (const ExchangeReport& report : round.run()) EXPECT_EQ(report.ending, Ending::answered) << report.why;
  EXPECT_EQ(round.server.total, plain);
  for (const TestDevice& device : round.devices) {
    ASSERT_EQ(device.ledger.size(), 1u);
    EXPECT_EQ(device.ledger[0].mechanism, "secure");
  }
}

// Everybody refuses at the start, and nothing was noted, because nothing left.
void expect_all_refuse(SecureRound& round, const std::string& why) {
  for (const ExchangeReport& report : round.run()) {
    EXPECT_EQ(report.ending, Ending::refused_by_device);
    EXPECT_NE(report.why.find(why), std::string::npos) << report.why;
  }
  for (const TestDevice& device : round.devices) EXPECT_TRUE(device.ledger.empty());
}

TEST(ASecureExchange, RefusesOtherTermsThanItsOwn) {
  SecureRound round(24);
  round.server.twist_start = [](v1::SumStart& start) {
    SumOffer offer = *decode<SumOffer>(std::as_bytes(std::span(start.offer())));
    offer.terms.threshold /= 2;
    const Bytes bytes = encode(offer);
    start.set_offer(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  };
  expect_all_refuse(round, "terms");
}

TEST(ASecureExchange, RefusesACohortTooSmallForAnyTerms) {
  SecureRound round(24);
  round.server.twist_start = [](v1::SumStart& start) {
    // Each device is shown itself and one other.
    const std::string own = start.directory().substr(start.place() * 32, 32);
    const std::string other = start.directory().substr((start.place() + 1) % 24 * 32, 32);
    start.set_directory(own + other);
    start.set_place(0);
  };
  expect_all_refuse(round, "");
}

TEST(ASecureExchange, RefusesAPlaceThatIsAnothers) {
  SecureRound round(24);
  round.server.twist_start = [](v1::SumStart& start) { start.set_place((start.place() + 1) % 24); };
  expect_all_refuse(round, "another device's");
}

TEST(ASecureExchange, RefusesASumOfAnotherShape) {
  SecureRound round(24);
  round.server.twist_start = [](v1::SumStart& start) {
    SumOffer offer = *decode<SumOffer>(std::as_bytes(std::span(start.offer())));
    offer.entries += 1;
    const Bytes bytes = encode(offer);
    start.set_offer(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  };
  expect_all_refuse(round, "another shape");
}

TEST(ASecureExchange, RefusesNeighboursThatTheServerDrew) {
  SecureRound round(24);
  round.server.twist_start = [](v1::SumStart& start) {
    SumOffer offer = *decode<SumOffer>(std::as_bytes(std::span(start.offer())));
    offer.beacon[0] ^= 1;
    const Bytes bytes = encode(offer);
    start.set_offer(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  };
  expect_all_refuse(round, "everybody's keys");
}

TEST(ASecureExchange, RefusesAStartThatDoesNotDecode) {
  SecureRound round(24);
  round.server.twist_start = [](v1::SumStart& start) { start.set_offer("SOTT"); };
  expect_all_refuse(round, "");
}

}  // namespace
}  // namespace sotto::device::exchange_secure_test
