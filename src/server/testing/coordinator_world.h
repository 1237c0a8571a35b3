// For tests: a coordinator on a store in memory, and devices that speak to it by bytes.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <set>

#include "fed/models/task_models.h"
#include "fed/secure/sum_device.h"
#include "server/coordinator.h"
#include "server/testing/memory_store.h"
#include "server/testing/world_device.h"

namespace sotto::server {

class World {
 public:
  explicit World(TaskConfig config, std::uint32_t count = 0, CoordinatorOptions options = {})
      : config_(std::move(config)), options_(options) {
    restart();
    for (std::uint32_t n = 0; n < count; ++n) add_device();
  }

  void restart() {
    own.reset();
    auto opened = Coordinator::open(store, options_, {config_}, log, now);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    own = std::move(*opened);
  }
  // From the next start on.
  void configure(TaskConfig config) { config_ = std::move(config); }
  void add_device() {
    const auto number = static_cast<std::uint32_t>(devices.size());
    devices.emplace_back(number, config_.spec);
    const auto made = nlohmann::json::parse(*own->ask("tokens", R"({"count":1})", now));
    token = made["tokens"][0].get<std::string>();
    const v1::Reply reply =
        call(Method::enrol, sign_enrolment(token, devices.back().identity).SerializeAsString());
    ASSERT_EQ(reply.refusal(), v1::REFUSAL_NONE) << reply.why();
    v1::EnrolReply enrolled;
    ASSERT_TRUE(enrolled.ParseFromString(reply.body()));
    EXPECT_EQ(enrolled.index(), number);
  }

  v1::Reply call(Method method, const std::string& bytes) {
    v1::Reply reply;
    EXPECT_TRUE(reply.ParseFromString(own->handle(method, bytes, now)));
    return reply;
  }
  v1::SignedRequest sign(std::uint32_t device, Method method, const std::string& body) {
    WorldDevice& from = devices[device];
    const auto micros = static_cast<std::uint64_t>(now) * 1000;
    from.nonce = std::max(from.nonce + 1, micros + 1);
    return sign_request(method, body, static_cast<std::uint64_t>(now), from.nonce, from.identity);
  }
  v1::Reply ask(std::uint32_t device, Method method, const google::protobuf::MessageLite& body) {
    return call(method, sign(device, method, body.SerializeAsString()).SerializeAsString());
  }
  v1::CheckInReply check_in(std::uint32_t device, v1::CheckInRequest request = {}) {
    WorldDevice& from = devices[device];
    request.set_sum_key(text_of(from.sum_identity.open()));
    for (const TaskModel* model : task_models) request.add_models(model->name);
    if (request.parts() == 0) request.set_parts(most_parts);
    if (!from.version.empty()) {
      request.add_held()->set_task(config_.spec.name());
      request.mutable_held(0)->set_version(from.version);
    }
    const v1::Reply reply = ask(device, Method::check_in, request);
    EXPECT_EQ(reply.refusal(), v1::REFUSAL_NONE) << reply.why();
    v1::CheckInReply out;
    EXPECT_TRUE(out.ParseFromString(reply.body()));
    return out;
  }
  v1::Assignment assigned(std::uint32_t device) {
    const v1::CheckInReply reply = check_in(device);
    EXPECT_TRUE(reply.has_assignment());
    return reply.assignment();
  }
  std::string fetch(std::uint32_t device, const v1::BlobRef& ref) {
    std::string bytes;
    while (bytes.size() < ref.bytes()) {
      v1::FetchRequest request;
      request.set_hash(ref.hash());
      request.set_offset(bytes.size());
      request.set_most(100);
      v1::FetchReply reply;
      const v1::Reply got = ask(device, Method::fetch, request);
      EXPECT_TRUE(got.refusal() == v1::REFUSAL_NONE && reply.ParseFromString(got.body())) << got.why();
      if (reply.data().empty()) break;
      bytes += reply.data();
    }
    EXPECT_EQ(blob_hash(bytes), ref.hash());
    return bytes;
  }
  // The model of an assignment, by delta where one is offered.
  RowMatrix model(std::uint32_t device, const v1::Assignment& assignment) {
    WorldDevice& to = devices[device];
    const ModelShape shape{to.task.shape().rows, to.task.shape().width, to.task.down};
    if (to.version != assignment.version())
      to.encoded = assignment.has_delta() ? *apply_delta(to.encoded, fetch(device, assignment.delta()), shape)
                                          : *unpack_model(fetch(device, assignment.full()), shape);
    to.version = assignment.version();
    EXPECT_EQ(blob_hash(to.encoded), to.version);
    return *read_published(to.encoded, shape);
  }
  static v1::StepRequest step_of(const v1::Assignment& assignment, v1::Phase phase, std::string data,
                                 std::uint32_t part = 0) {
    v1::StepRequest request;
    request.set_part(part);
    request.set_token(assignment.token());
    request.set_phase(phase);
    request.set_total(data.size());
    request.set_data(std::move(data));
    return request;
  }
  v1::Reply give(std::uint32_t device, const v1::Assignment& assignment, const std::string& message,
                 std::uint32_t part = 0) {
    return ask(device, Method::step, step_of(assignment, v1::PHASE_CONTRIBUTION, message, part));
  }
  // Check-in, fetch, fit, upload.
  void exchange(std::uint32_t device) {
    const v1::Assignment assignment = assigned(device);
    const v1::Reply reply =
        give(device, assignment, devices[device].contribution(assignment.round(), model(device, assignment)));
    EXPECT_EQ(reply.refusal(), v1::REFUSAL_NONE) << reply.why();
  }
  VersionRecord newest() { return store.versions(config_.spec.name(), 1)->front(); }
  RoundRecord last_round() { return store.rounds(config_.spec.name(), 1)->front(); }
  std::string status(const std::string& field) {
    return nlohmann::json::parse(*own->ask("tasks", "", now))[0].value(field, "");
  }

  MemoryStore store;
  LogLines log;
  std::int64_t now = 1'700'000'000'000;
  std::deque<WorldDevice> devices;
  std::string token;  // the last one given out
  std::unique_ptr<Coordinator> own;

 private:
  TaskConfig config_;
  CoordinatorOptions options_;
};

}  // namespace sotto::server
