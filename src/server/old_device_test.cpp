// Devices of version 0.1.0 with today's coordinator: the bytes that they sent, as they were recorded, each at
// its time. What they are answered leads to the model that their own coordinator made.
#include <gtest/gtest.h>

#include <fstream>

#include "fed/models/testing/usual_spec.h"
#include "fed/wire/catalogue.h"
#include "fed/wire/testing/transcript.h"
#include "server/coordinator.h"
#include "server/testing/memory_store.h"
#include "server/testing/world_device.h"

namespace sotto::server::old_device_test {
namespace {

Transcript transcript_of(const RecordedWorld& world) {
  std::ifstream file(std::string(SOTTO_SOURCE_DIR "/tests/transcripts/") + world.name + "_0_1_0.txt");
  return read_transcript(file);
}

TaskConfig recorded_config(const RecordedWorld& world) {
  TaskConfig config;
  config.spec = recorded_spec(world);
  config.catalogue = recorded_names();
  config.rules.goal = config.rules.quorum = world.devices;
  config.rules.over_selection = 1.0;
  config.rules.rounds = world.rounds;
  return config;
}

// Another zstd may pack the same texts and models otherwise: then blobs have other names.
bool packs_as_then(const Transcript& recorded) {
  for (const RecordedCall& call : recorded.calls) {
    v1::Reply reply;
    v1::CheckInReply answer;
    if (call.method != Method::check_in || !reply.ParseFromString(call.reply) ||
        !answer.ParseFromString(reply.body()))
      continue;
    return answer.assignment().task().catalogue().hash() == blob_hash(pack_catalogue(recorded_names()));
  }
  return false;
}

std::string without_blobs(v1::Assignment assignment) {
  assignment.mutable_task()->clear_catalogue();
  assignment.clear_full();
  assignment.clear_delta();
  return assignment.SerializeAsString();
}

class DevicesOfVersion010 : public testing::TestWithParam<RecordedWorld> {
 protected:
  DevicesOfVersion010() { draw_as_recorded(); }
  ~DevicesOfVersion010() override { draw_as_ever(); }
};

TEST_P(DevicesOfVersion010, TrainTheSameModelWithTodaysCoordinator) {
  const Transcript recorded = transcript_of(GetParam());
  ASSERT_FALSE(recorded.calls.empty());
  MemoryStore store;
  LogLines log;
  auto coordinator = Coordinator::open(store, {}, {recorded_config(GetParam())}, log, recorded_start_ms);
  ASSERT_TRUE(coordinator.ok()) << coordinator.error().message;
  for (std::uint32_t n = 0; n < GetParam().devices; ++n)
    ASSERT_TRUE(store.add_tokens(std::vector<std::string>{blob_hash(recorded_token(n))}).ok());
  const bool same_blobs = packs_as_then(recorded);
  std::size_t answered = 0;
  for (const RecordedCall& call : recorded.calls) {
    (*coordinator)->tick(call.now_ms);
    if (call.method == Method::fetch && !same_blobs) continue;
    v1::Reply then, now;
    ASSERT_TRUE(then.ParseFromString(call.reply));
    ASSERT_TRUE(now.ParseFromString((*coordinator)->handle(call.method, call.request, call.now_ms)));
    EXPECT_EQ(now.refusal(), then.refusal()) << to_string(call.method) << ": " << now.why();
    if (call.method == Method::fetch || call.method == Method::enrol) {
      EXPECT_EQ(now.body(), then.body());
    }
    if (call.method == Method::step) {
      v1::StepReply old_step, step;
      ASSERT_TRUE(old_step.ParseFromString(then.body()) && step.ParseFromString(now.body()));
      EXPECT_EQ(step.progress(), old_step.progress());
      EXPECT_EQ(step.data(), old_step.data());
      answered += step.progress() == v1::StepReply::TAKEN ? 1 : 0;
    }
    if (call.method != Method::check_in) continue;
    v1::CheckInReply old_answer, answer;
    ASSERT_TRUE(old_answer.ParseFromString(then.body()) && answer.ParseFromString(now.body()));
    EXPECT_EQ(without_blobs(answer.assignment()), without_blobs(old_answer.assignment()));
    if (same_blobs) {
      EXPECT_EQ(answer.assignment().SerializeAsString(), old_answer.assignment().SerializeAsString());
    }
  }
  EXPECT_EQ(answered, std::size_t{GetParam().devices} * GetParam().rounds);
  const VersionRecord newest = store.versions("films", 1)->front();
  EXPECT_EQ(newest.number, GetParam().rounds);
  EXPECT_EQ(newest.model_hash, recorded.model_hash);
}

// A device that names no models knows the first two: another's task is not given to it, and nothing breaks.
TEST_P(DevicesOfVersion010, AreNotAssignedWhatTheyDoNotKnow) {
  MemoryStore store;
  LogLines log;
  TaskConfig config = recorded_config(GetParam());
  config.spec = usual_spec(fcf_task, recorded_items);
  config.spec.set_name("films");
  auto coordinator = Coordinator::open(store, {}, {config}, log, recorded_start_ms);
  ASSERT_TRUE(coordinator.ok()) << coordinator.error().message;
  for (std::uint32_t n = 0; n < GetParam().devices; ++n)
    ASSERT_TRUE(store.add_tokens(std::vector<std::string>{blob_hash(recorded_token(n))}).ok());
  std::size_t asked = 0;
  for (const RecordedCall& call : transcript_of(GetParam()).calls) {
    if (call.method != Method::enrol && call.method != Method::check_in) continue;
    v1::Reply now;
    ASSERT_TRUE(now.ParseFromString((*coordinator)->handle(call.method, call.request, call.now_ms)));
    EXPECT_EQ(now.refusal(), v1::REFUSAL_NONE) << now.why();
    if (call.method != Method::check_in) continue;
    v1::CheckInReply answer;
    ASSERT_TRUE(answer.ParseFromString(now.body()));
    EXPECT_FALSE(answer.has_assignment() || answer.has_news());
    ++asked;
  }
  EXPECT_GT(asked, 0u);
}

INSTANTIATE_TEST_SUITE_P(AsRecorded, DevicesOfVersion010, testing::ValuesIn(recorded_worlds),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace sotto::server::old_device_test
