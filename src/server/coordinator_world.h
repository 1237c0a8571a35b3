// For tests: a coordinator on a store in memory, and devices that speak to it by bytes.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <set>

#include "base/row_hash.h"
#include "fed/messages.h"
#include "fed/secure/sum_device.h"
#include "fed/wire/device_fit.h"
#include "server/coordinator.h"
#include "server/memory_store.h"

namespace sotto {

inline v1::TaskSpec world_spec(std::uint32_t items = 30) {
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model("fpl");
  spec.set_factors(4);
  spec.set_learning_rate(0.05f);
  spec.set_user_reg(0.0025f);
  spec.set_positive_reg(0.0025f);
  spec.set_negative_reg(0.00025f);
  spec.set_init_sd(0.1f);
  spec.set_triples(5);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_reproducible(true);
  spec.set_items(items);
  return spec;
}

inline TaskConfig world_config(std::uint32_t goal, std::uint64_t rounds = 0) {
  TaskConfig config;
  config.spec = world_spec();
  config.rules.goal = goal;
  config.rules.quorum = std::min(goal, 2u);
  config.rules.over_selection = 1.0;
  config.rules.rounds = rounds;
  config.rules.gather_ms = 1'000;
  config.rules.round_ms = 10'000;
  config.rules.phase_ms = 1'000;
  return config;
}

struct LogLines final : LogSink {
  void line(const LogLine& one) override { lines.push_back(one); }
  [[nodiscard]] bool has(const std::string& text) const {
    return std::any_of(lines.begin(), lines.end(), [&](const LogLine& one) {
      return one.message.find(text) != std::string::npos ||
             std::any_of(one.fields.begin(), one.fields.end(),
                         [&](const auto& field) { return field.second.find(text) != std::string::npos; });
    });
  }
  std::vector<LogLine> lines;
};

// A device as its person's phone would be: key, history, private row.
struct WorldDevice {
  WorldDevice(std::uint32_t number, const v1::TaskSpec& spec)
      : identity(Secret(simulated_key(1, "world", number))),
        sum_identity(Secret(simulated_key(2, "world", number))),
        task(*read_task(spec)),
        fit(task, {task.plan.seed, UserIndex{number}}, history(number, spec.items()), ConsentTerms{}),
        own(fit.start().on_device()) {}

  static std::vector<ItemIndex> history(std::uint32_t number, std::uint32_t items) {
    std::vector<ItemIndex> all;
    for (std::uint32_t item = 0; item < items; ++item)
      if ((item * 7 + number * 13) % 5 == 0) all.push_back(ItemIndex{item});
    return all;
  }
  // The encoded contribution to a round.
  std::string contribution(std::uint32_t round, const RowMatrix& shared) {
    auto made = fit.fit(round, shared, own);
    EXPECT_TRUE(made.ok());
    last = **made;
    const Bytes bytes = encode(ContributionMessage{.round = round, .contribution = **made});
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  Identity identity;
  Identity sum_identity;
  Task task;
  DeviceFit fit;
  RowMatrix own;
  Contribution last{1};
  std::uint64_t nonce = 0;
  std::string version, encoded;  // the model it holds
};

class World {
 public:
  explicit World(TaskConfig config, std::uint32_t devices = 0, CoordinatorOptions options = {})
      : config_(std::move(config)), options_(options) {
    restart();
    for (std::uint32_t n = 0; n < devices; ++n) add_device();
  }

  void restart() {
    own.reset();
    auto opened = Coordinator::open(store, options_, {config_}, log, now);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    own = std::move(*opened);
  }
  void add_device() {
    const auto number = static_cast<std::uint32_t>(devices.size());
    devices.emplace_back(number, config_.spec);
    const auto made = nlohmann::json::parse(*own->ask("tokens", R"({"count":1})", now));
    token = made["tokens"][0].get<std::string>();
    const v1::Reply reply = call(Method::enrol, sign_enrolment(token, devices.back().identity).SerializeAsString());
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
    const ModelShape shape{to.task.items, to.task.plan.fpl.factors + 1, to.task.down};
    if (to.version != assignment.version())
      to.encoded = assignment.has_delta()
                       ? *apply_delta(to.encoded, fetch(device, assignment.delta()), shape)
                       : *unpack_model(fetch(device, assignment.full()), shape);
    to.version = assignment.version();
    EXPECT_EQ(blob_hash(to.encoded), to.version);
    return *read_published(to.encoded, shape);
  }
  static v1::StepRequest step_of(const v1::Assignment& assignment, v1::Phase phase, std::string data) {
    v1::StepRequest request;
    request.set_token(assignment.token());
    request.set_phase(phase);
    request.set_total(data.size());
    request.set_data(std::move(data));
    return request;
  }
  v1::Reply give(std::uint32_t device, const v1::Assignment& assignment, const std::string& message) {
    return ask(device, Method::step, step_of(assignment, v1::PHASE_CONTRIBUTION, message));
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

// The training by hand: so many rounds with the devices given, as plain sums.
inline std::string by_hand(const v1::TaskSpec& spec, const std::vector<std::vector<std::uint32_t>>& rounds,
                           std::uint32_t first_round = 0) {
  const Task task = *read_task(spec);
  const Fpl model = task.model(task.plan.seed);
  RowMatrix shared = model.start_shared();
  std::map<std::uint32_t, WorldDevice> devices;
  SumSpace space(task.items, shared.width());
  for (std::uint32_t round = 0; round < rounds.size(); ++round) {
    Aggregator sum(space);
    const RowMatrix sent = as_published(shared, task.down);
    for (const std::uint32_t number : rounds[round]) {
      WorldDevice& device = devices.try_emplace(number, number, spec).first->second;
      EXPECT_TRUE(sum.accept(**device.fit.fit(first_round + round, sent, device.own)).ok());
    }
    std::move(sum).release([&](std::uint32_t row, const auto* values) {
      model.apply(values, task.plan.fixed, shared.row(row));
    });
  }
  return hash_rows(shared);
}

}  // namespace sotto
