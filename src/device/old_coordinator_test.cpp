// Today's devices with a coordinator of version 0.1.0: its replies, as they were recorded, in their order.
// What a device says is, without the fields that came since, byte for byte what was said to that coordinator
// then: so the replies are the ones that it would have given.
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <optional>

#include "device/enrol.h"
#include "device/exchange.h"
#include "device/memory_device_store.h"
#include "fed/wire/testing/transcript.h"

namespace sotto::device::old_coordinator_test {
namespace {

// What a coordinator of 0.1.0 sees of a request.
std::string as_it_was(Method method, std::string body) {
  if (method != Method::check_in) return body;
  v1::CheckInRequest request;
  EXPECT_TRUE(request.ParseFromString(body));
  request.clear_models();
  request.clear_judges();
  request.clear_homes();
  request.clear_parts();
  return request.SerializeAsString();
}

struct Replayed final : Transport {
  explicit Replayed(const RecordedWorld& world) {
    std::ifstream file(std::string(SOTTO_SOURCE_DIR "/tests/transcripts/") + world.name + "_0_1_0.txt");
    calls = read_transcript(file).calls;
  }
  Result<std::string> call(Method method, const std::string& request) override {
    if (next == calls.size()) return fail(Code::io, "nothing more was recorded");
    const RecordedCall& then = calls[next++];
    EXPECT_EQ(then.device, device);
    EXPECT_STREQ(to_string(method), to_string(then.method));
    v1::SignedRequest said, recorded;
    if (method == Method::enrol) {
      EXPECT_EQ(request, then.request);
    } else {
      EXPECT_TRUE(said.ParseFromString(request) && recorded.ParseFromString(then.request));
      EXPECT_EQ(as_it_was(method, said.body()), recorded.body()) << to_string(method) << " " << next;
      EXPECT_EQ(said.device(), recorded.device());
      EXPECT_EQ(said.version(), recorded.version());
    }
    return then.reply;
  }

  std::vector<RecordedCall> calls;
  std::size_t next = 0;
  std::uint32_t device = 0;
};

struct Person {
  std::vector<ItemIndex> history;
  PersonalPolicy policy;
  SharedShelf shelf;
  std::optional<MemoryDeviceStore> kept;
  std::optional<Exchange> exchange;
};

class ACoordinatorOfVersion010 : public testing::TestWithParam<RecordedWorld> {};

TEST_P(ACoordinatorOfVersion010, IsAnsweredByTodaysDevicesAsByItsOwn) {
  const RecordedWorld& world = GetParam();
  Replayed wire(world);
  IdTable names;
  for (std::uint32_t item = 0; item < recorded_items; ++item) names.intern("film " + std::to_string(item));
  std::deque<Person> people;
  for (std::uint32_t n = 0; n < world.devices; ++n) {
    wire.device = n;
    Person& one = people.emplace_back();
    one.history = recorded_history(n);
    one.kept.emplace(one.shelf, MemoryPerson{one.history, &names, &one.policy, nullptr});
    const auto enrolment = enrol(wire, recorded_token(n), Secret(simulated_key(n, "recorded")));
    ASSERT_TRUE(enrolment.ok()) << enrolment.error().message;
    one.kept->keep_enrolment(*enrolment);
    ExchangeOptions options;
    options.entropy = [n, draw = std::uint64_t{0}]() mutable { return simulated_key(n, "recorded", draw++); };
    one.exchange.emplace(*one.kept, options);
  }
  std::int64_t now = recorded_start_ms;
  for (std::uint32_t round = 0; round < world.rounds; ++round, now += 100'000) {
    std::vector<bool> done(world.devices, false);
    for (int turn = 0; turn < 200; ++turn)
      for (std::uint32_t n = 0; n < world.devices; ++n) {
        if (done[n]) continue;
        wire.device = n;
        now += 10;
        const auto next = people[n].exchange->advance(wire, now);
        ASSERT_TRUE(next.ok()) << next.error().message;
        done[n] = next->what != Exchange::Next::What::wait;
        if (!done[n]) continue;
        EXPECT_EQ(next->report.ending, Ending::answered) << next->report.why;
      }
  }
  EXPECT_EQ(wire.next, wire.calls.size()) << "everything that was recorded was said";
}

INSTANTIATE_TEST_SUITE_P(AsRecorded, ACoordinatorOfVersion010, testing::ValuesIn(recorded_worlds),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace sotto::device::old_coordinator_test
