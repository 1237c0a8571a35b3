#include "device/exchange.h"

#include "device/model_fetch.h"
#include "device/testing/test_device.h"
#include "fed/models/testing/toy_networks.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/wire/device_fit.h"
#include "fed/wire/packed_contribution.h"

namespace sotto::device::exchange_test {
namespace {

TEST(AnExchange, SendsWhatTheDeviceComputesInPiecesAndNotesItFirst) {
  FakeCoordinator server(small_task(test_items));
  TestDevice device(server);
  const DeviceStreams streams{(*device.kept->enrolment())->own_seed, UserIndex{0}};
  const auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::answered) << next.report.why;
  EXPECT_EQ(next.report.download, Download::full);
  EXPECT_EQ(server.contributions, (std::set{contribution_of(server, device, streams)}));
  ASSERT_EQ(device.ledger.size(), 1u);
  EXPECT_EQ(device.ledger[0].mechanism, "plain");
  EXPECT_EQ(device.ledger[0].bytes, server.contributions.begin()->size());
  EXPECT_FALSE(device.ledger[0].items.empty());
  for (const std::string& name : device.ledger[0].items)
    EXPECT_TRUE(std::count(device.history.begin(), device.history.end(),
                           ItemIndex{static_cast<std::uint32_t>(std::stoul(name))}));
  EXPECT_EQ(*device.kept->last_round("small"), 0u);
}

TEST(AnExchange, SaysOfItselfWhatItsPersonTells) {
  FakeCoordinator server(small_task(test_items));
  TestDevice device(server);
  device.options.criteria = {{"size", 0.5}, {"light", 1.0}};
  device.exchange.emplace(*device.kept, device.options);
  const auto said = [&] {
    EXPECT_EQ(device.run(server).report.ending, Ending::answered);
    ++server.round;
    v1::CheckInRequest request;
    EXPECT_TRUE(request.ParseFromString(server.last_check_in));
    return std::map<std::string, double>(request.criteria().begin(), request.criteria().end());
  };
  EXPECT_EQ(said(), device.options.criteria);
  device.policy.criteria = {{"size", false}};
  EXPECT_EQ(said(), (std::map<std::string, double>{{"light", 1.0}}));
  device.policy.criteria = {{"*", false}, {"size", true}};
  EXPECT_EQ(said(), (std::map<std::string, double>{{"size", 0.5}}));
  device.policy.criteria = {};
  device.policy.pi = 0.5;  // a level that keeps criteria
  EXPECT_TRUE(said().empty());
}

TEST(AnExchange, DrawsBySeedAndIndexOnlyWhereItIsAllowed) {
  v1::TaskSpec spec = small_task(test_items);
  spec.set_reproducible(true);
  FakeCoordinator server(spec);
  TestDevice wary(server);
  EXPECT_EQ(wary.run(server).report.ending, Ending::refused_by_device);
  EXPECT_TRUE(server.contributions.empty());
  TestDevice open(server, 2);
  open.options.allow_reproducible = true;
  open.exchange.emplace(*open.kept, open.options);
  EXPECT_EQ(open.run(server).report.ending, Ending::answered);
  EXPECT_EQ(server.contributions, (std::set{contribution_of(server, open, {7, UserIndex{1}})}));
}

// Where nothing trains networks the device does not say that it knows them, and refuses what comes anyway.
TEST(AnExchange, TakesANetworkWhereSomethingTrainsIt) {
  v1::TaskSpec spec = usual_spec(fedmultvae_task, test_items);
  for (v1::TaskOption& option : *spec.mutable_options())
    if (option.key() == "hidden" || option.key() == "latent") option.set_whole(3);
  FakeCoordinator server(spec);
  TestDevice device(server);
  const auto knows = [&] {
    v1::CheckInRequest request;
    EXPECT_TRUE(request.ParseFromString(server.last_check_in));
    EXPECT_EQ(std::ranges::count(request.models(), "fpl"), 1);
    return std::ranges::count(request.models(), "fedmultvae") +
           std::ranges::count(request.models(), "fedneumf");
  };
  const auto refused = device.run(server);
  EXPECT_EQ(refused.report.ending, Ending::refused_by_device);
  EXPECT_NE(refused.report.why.find("trains no networks, and fedmultvae is one"), std::string::npos)
      << refused.report.why;
  EXPECT_EQ(knows(), 0);
  EXPECT_TRUE(server.contributions.empty());

  const ToyNetworks toys;
  device.options.networks = &toys;
  device.exchange.emplace(*device.kept, device.options);
  const auto answered = device.run(server);
  EXPECT_EQ(answered.report.ending, Ending::answered) << answered.report.why;
  EXPECT_EQ(knows(), 2);
  server.task.networks = &toys;
  const DeviceStreams streams{(*device.kept->enrolment())->own_seed, UserIndex{0}};
  EXPECT_EQ(server.contributions, (std::set{contribution_of(server, device, streams)}));
  EXPECT_EQ(device.ledger.at(0).items.size(), device.history.size());
}

TEST(AnExchange, NeverAnswersARoundTwice) {
  FakeCoordinator server(small_task(test_items));
  TestDevice device(server);
  server.round = 5;
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_EQ(device.run(server).report.ending, Ending::kept_quiet);
  server.round = 4;
  EXPECT_EQ(device.run(server).report.ending, Ending::kept_quiet);
  EXPECT_EQ(server.contributions.size(), 1u);
  server.round = 6;
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
}

TEST(AnExchange, AChangedProtocolHoldsFromTheNextVisit) {
  FakeCoordinator server(small_task(test_items));
  TestDevice device(server);
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  device.policy.history = 0.0;
  server.round = 1;
  EXPECT_EQ(device.run(server).report.ending, Ending::kept_quiet);
  EXPECT_EQ(server.contributions.size(), 1u);
  // Of a part of the history nothing else is in what leaves; which part is drawn once.
  device.policy.history = 0.4;
  std::set<std::string> sent;
  for (server.round = 2; server.round < 12; ++server.round) {
    EXPECT_EQ(device.run(server).report.ending, Ending::answered);
    sent.insert(device.ledger.back().items.begin(), device.ledger.back().items.end());
  }
  const UserIndex self{0};
  const std::uint64_t seed = (*device.kept->enrolment())->own_seed;
  std::set<std::string> let_in;
  for (const ItemIndex item : device.history)
    if (carries(seed, self, item, whole_record, 0.4f)) let_in.insert(std::to_string(item.value));
  EXPECT_EQ(sent, let_in);
  EXPECT_LT(let_in.size(), device.history.size());
}

TEST(AnExchange, GoesOnAfterLostRequestsAndReplies) {
  FakeCoordinator whole(small_task(test_items));
  TestDevice calm(whole);
  calm.run(whole);
  // Every request once with a lost call, once with a lost reply.
  for (int at = 0; at < whole.calls - 1; ++at)
    for (const bool reply : {false, true}) {
      FakeCoordinator server(small_task(test_items));
      TestDevice device(server);
      server.twist = [&](Method, v1::Reply&) {
        if (server.calls == at + 2) (reply ? server.lose_replies : server.lose_calls) = 1;
      };
      EXPECT_EQ(device.run(server).report.ending, Ending::answered) << at;
      EXPECT_EQ(server.contributions, whole.contributions);
      EXPECT_EQ(device.ledger.size(), 1u);
    }
}

TEST(AnExchange, IsADropoutWhereNobodyAnswersUntilTheDeadline) {
  FakeCoordinator server(small_task(test_items));
  TestDevice device(server);
  server.lose_calls = 1000;
  auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::dropped);
  EXPECT_GT(next.wait_ms, 0);
  server.lose_calls = 0;
  server.twist = [&](Method method, v1::Reply&) {
    if (method == Method::fetch) server.lose_calls = 1'000'000;
  };
  const std::int64_t before = server.now_ms;
  next = device.run(server, 10'000);
  EXPECT_EQ(next.report.ending, Ending::dropped);
  EXPECT_GE(server.now_ms, before + 600'000);
  EXPECT_TRUE(device.ledger.empty());
}

TEST(AnExchange, SetsItsClockByTheServersOnce) {
  FakeCoordinator server(small_task(test_items));
  TestDevice device(server);
  device.clock_off_ms = 7'200'000;
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  server.round = 1;
  const int calls = server.calls;
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_EQ(server.calls,
            calls + 1 +
                static_cast<int>(std::max<std::size_t>(1, (server.contributions.begin()->size() + 99) / 100)))
      << "the offset is kept: no second refusal";
  server.clock_window_ms = -1;  // whatever the device says
  const auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::refused_by_server);
  EXPECT_EQ(next.report.refusal, v1::REFUSAL_CLOCK);
}

TEST(AnExchange, TakesADeltaAndFallsBackWhereItDoesNotFit) {
  for (const int wrong : {0, 1, 2, 3}) {
    FakeCoordinator server(small_task(test_items));
    TestDevice device(server);
    ASSERT_EQ(device.run(server).report.ending, Ending::answered);
    v1::CheckInRequest held;
    const std::string from = server.encoded;
    const std::string from_version = server.version;
    server.master.row(3)[1] += 0.5f;
    server.publish_master();
    server.offers_delta = true;
    server.delta = server.keep(make_delta(from, server.encoded, shape_of(server.task)));
    if (wrong == 1) server.blobs.erase(server.delta.hash());
    if (wrong == 2) server.delta = server.keep("no delta at all");
    if (wrong == 3) server.delta = server.keep(make_delta(server.encoded, from, shape_of(server.task)));
    server.round = 1;
    const auto next = device.run(server);
    EXPECT_EQ(next.report.ending, Ending::answered) << next.report.why;
    EXPECT_EQ(next.report.download, wrong == 0 ? Download::delta : Download::full) << wrong;
    ASSERT_TRUE(held.ParseFromString(server.last_check_in));
    ASSERT_EQ(held.held_size(), 1);
    EXPECT_EQ(held.held(0).version(), from_version);
    EXPECT_EQ((*device.kept->model("small"))->encoded, server.encoded);
    server.round = 2;
    EXPECT_EQ(device.run(server).report.download, Download::held);
  }
}

}  // namespace
}  // namespace sotto::device::exchange_test
