// A device before a server that lies.
#include <cmath>
#include <limits>

#include "device/enrol.h"
#include "device/testing/test_device.h"

namespace sotto::device::exchange_malice_test {
namespace {

class AHostileServer : public ::testing::Test {
 protected:
  AHostileServer() : server(small_task(test_items)), device(server) {}
  // Nothing left the device, and the reason is such.
  void expect_refused(const std::string& why) {
    const auto next = device.run(server, 3000);
    EXPECT_EQ(next.what, Exchange::Next::What::refused);
    EXPECT_EQ(next.report.ending, Ending::refused_by_device) << to_string(next.report.ending);
    EXPECT_NE(next.report.why.find(why), std::string::npos) << next.report.why;
    EXPECT_TRUE(server.contributions.empty());
    EXPECT_TRUE(device.ledger.empty());
  }
  FakeCoordinator server;
  TestDevice device;
};

TEST_F(AHostileServer, RepliesThatDoNotDecode) {
  server.garble = [](Method, const std::string&) { return std::string("\xff\xff\xff garbage"); };
  expect_refused("does not decode");
  server.garble = [](Method, const std::string&) { return std::string(most_message_bytes + 1, '\0'); };
  expect_refused("larger than allowed");
  server.garble = nullptr;
  server.twist = [](Method, v1::Reply& reply) { reply.set_body("\xff\xff\xff"); };
  expect_refused("does not decode");
}

TEST_F(AHostileServer, AProtocolFromTheFuture) {
  server.twist = [](Method, v1::Reply& reply) { reply.set_version(2); };
  expect_refused("speaks version 2");
}

TEST_F(AHostileServer, BlobsThatAreNotWhatTheyAreNamed) {
  server.twist_fetch = [](v1::FetchReply& piece) { piece.mutable_data()->at(0) ^= 1; };
  expect_refused("not those of its name");
  server.twist_fetch = nullptr;
  server.twist_assignment = [](v1::Assignment& given) { given.set_version(std::string(32, 'v')); };
  expect_refused("not the version that was named");
}

TEST_F(AHostileServer, DownloadsWithoutAnEnd) {
  server.twist_fetch = [](v1::FetchReply& piece) { piece.clear_data(); };
  expect_refused("nothing in it");
  server.twist_fetch = [](v1::FetchReply& piece) { piece.set_total(piece.total() + 1); };
  expect_refused("another size");
  server.twist_fetch = [](v1::FetchReply& piece) { piece.set_data(std::string(100'000, 'x')); };
  expect_refused("more came");
  server.twist_assignment = [](v1::Assignment& given) { given.mutable_full()->set_bytes(1ull << 40); };
  expect_refused("larger than its task's");
}

TEST_F(AHostileServer, StepsWithoutAnEnd) {
  server.twist_step = [](v1::StepReply& step) {
    step.set_progress(v1::StepReply::MORE);
    step.set_next_offset(0);
  };
  const auto next = device.run(server, 3000);
  EXPECT_EQ(next.report.ending, Ending::refused_by_device);
  EXPECT_NE(next.report.why.find("no end"), std::string::npos);
}

TEST_F(AHostileServer, ANumberThatIsNone) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    std::string encoded = publish(server.master, v1::PRECISION_F32);
    std::memcpy(encoded.data() + encoded.size() - sizeof bad, &bad, sizeof bad);
    server.version = blob_hash(encoded);
    server.full = server.keep(pack_model(encoded));
    expect_refused("");
  }
}

TEST_F(AHostileServer, OtherShapes) {
  v1::TaskSpec wider = server.spec;
  wider.set_factors(8);
  server.twist_assignment = [&](v1::Assignment& given) { *given.mutable_task() = wider; };
  expect_refused("");
  wider = server.spec;
  wider.set_items(test_items + 1);
  expect_refused("");
  wider.set_items(1u << 22);
  wider.set_factors(62);
  expect_refused("larger than this device takes");
  wider = server.spec;
  wider.set_name("../x");
  expect_refused("name");
}

TEST_F(AHostileServer, TokensAndDeadlines) {
  server.twist_assignment = [](v1::Assignment& given) { given.set_token("short"); };
  expect_refused("token");
  server.twist_assignment = [&](v1::Assignment& given) {
    given.set_deadline_ms(static_cast<std::uint64_t>(server.now_ms - 1));
  };
  EXPECT_EQ(device.run(server).report.ending, Ending::dropped);
  EXPECT_TRUE(device.ledger.empty());
  server.twist_assignment = [](v1::Assignment& given) { given.set_deadline_ms(~std::uint64_t{0}); };
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
}

TEST_F(AHostileServer, ATaskThatChanges) {
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  device.ledger.clear();
  server.contributions.clear();
  server.round = 1;
  server.twist_assignment = [](v1::Assignment& given) { given.mutable_task()->set_triples(6); };
  expect_refused("not what it was");
  server.twist_assignment = [](v1::Assignment& given) { given.mutable_task()->set_seed(8); };
  expect_refused("not what it was");
}

TEST_F(AHostileServer, TasksThatThePersonDidNotChoose) {
  device.options.tasks = {"other"};
  device.exchange.emplace(*device.kept, device.options);
  expect_refused("takes part in others");
}

TEST_F(AHostileServer, TasksThatPromiseLessThanThePersonAsksFor) {
  device.policy.secure_only = true;
  const int before = server.calls;
  expect_refused("secure ones alone");
  EXPECT_EQ(server.calls, before + 1);  // the check-in alone
  device.policy.secure_only = false;
  device.policy.least_crowd = 2;
  expect_refused("promises a crowd of 1, the person asks for 2");
  double leak = 0x1p-29;
  server.twist_assignment = [&](v1::Assignment& given) {
    given.mutable_task()->set_sum(v1::SUM_SECURE);
    v1::SumAssumed& assumed = *given.mutable_task()->mutable_assumed();
    assumed.set_dropped(0.3);
    assumed.set_leak(leak);
    assumed.set_abort(0x1p-10);
    assumed.set_crowd(9);
  };
  device.policy.least_crowd = 2;
  expect_refused("may leak with a larger chance");
  device.policy.secure_only = true;
  device.policy.least_crowd = 0;
  expect_refused("may leak with a larger chance");
  leak = 0x1p-30;
  device.policy.least_crowd = 10;
  expect_refused("promises a crowd of 9, the person asks for 10");
  server.twist_assignment = nullptr;
  device.policy.secure_only = false;
  device.policy.least_crowd = 1;
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
}

TEST_F(AHostileServer, CataloguesThatAreNone) {
  std::string names;
  for (std::uint32_t n = 0; n < test_items; ++n) names += "name " + std::to_string(n) + "\n";
  const auto with = [&](const std::string& packed) {
    server.twist_assignment = [&, ref = server.keep(packed)](v1::Assignment& given) {
      *given.mutable_task()->mutable_catalogue() = ref;
    };
  };
  with("no catalogue");
  expect_refused("");
  with(pack_catalogue(names.substr(names.find('\n') + 1)));
  expect_refused("fewer names");
  with(pack_catalogue(names + "one more\n"));
  expect_refused("more names");
  with(pack_catalogue(names + names));
  expect_refused("");
  server.twist_assignment = [](v1::Assignment& given) {
    given.mutable_task()->mutable_catalogue()->set_hash("short");
  };
  expect_refused("no proper name");
}

TEST_F(AHostileServer, WordsOutOfOrder) {
  server.twist_step = [](v1::StepReply& step) {
    step.set_progress(v1::StepReply::ANSWER);
    step.set_data("there you are");
  };
  EXPECT_EQ(device.run(server).report.ending, Ending::refused_by_device);
  server.round = 1;
  server.twist_step = [](v1::StepReply& step) {
    step.set_progress(v1::StepReply::MORE);
    step.set_next_offset(1ull << 40);
  };
  EXPECT_EQ(device.run(server).report.ending, Ending::refused_by_device);
}

TEST_F(AHostileServer, RefusalsEndTheExchangeWithTheirCode) {
  server.twist = [](Method method, v1::Reply& reply) {
    if (method == Method::step) reply.set_refusal(v1::REFUSAL_TOO_LATE);
  };
  const auto next = device.run(server);
  EXPECT_EQ(next.what, Exchange::Next::What::refused);
  EXPECT_EQ(next.report.refusal, v1::REFUSAL_TOO_LATE);
  // It was on its way: the ledger has it, and the round is not answered again.
  EXPECT_EQ(device.ledger.size(), 1u);
  server.twist = nullptr;
  EXPECT_EQ(device.run(server).report.ending, Ending::kept_quiet);
}

TEST(Enrolling, IsRefusedByNameAndHoldsItsAnswerAgainstItsKey) {
  FakeCoordinator server(small_task(test_items));
  EXPECT_FALSE(enrol(server, "stolen", Secret(simulated_key(1, "e"))).ok());
  server.twist = [](Method, v1::Reply& reply) {
    v1::EnrolReply body;
    body.set_device(std::string(16, 'd'));
    reply.set_body(body.SerializeAsString());
  };
  EXPECT_FALSE(enrol(server, "token", Secret(simulated_key(1, "e"))).ok());
  server.twist = nullptr;
  server.lose_replies = 1;
  EXPECT_TRUE(enrol(server, "token", Secret(simulated_key(1, "e"))).ok());
  EXPECT_EQ(server.keys.size(), 1u) << "a lost reply does not make a second device";
}

}  // namespace
}  // namespace sotto::device::exchange_malice_test
