// For tests: a coordinator of one task that does what it should, in a few lines of its own, unless a test
// twists its words. It keeps every contribution that it was given.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "device/exchange.h"
#include "device/memory_device_store.h"
#include "fed/messages.h"
#include "fed/models/task_model.h"
#include "fed/secure/sum_server.h"
#include "fed/wire/catalogue.h"
#include "fed/wire/published_model.h"

namespace sotto::device {

inline v1::TaskSpec small_task(std::uint32_t items) {
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
  spec.set_items(items);
  return spec;
}

class FakeCoordinator final : public Transport {
 public:
  explicit FakeCoordinator(v1::TaskSpec its_spec) : spec(std::move(its_spec)), task(*read_task(spec)) {
    master = task.model->server(task)->start().shared;
    publish_master();
  }

  void publish_master() {
    encoded = publish(master, spec.down());
    version = blob_hash(encoded);
    full = keep(pack_model(encoded));
  }
  v1::BlobRef keep(const std::string& bytes) {
    v1::BlobRef ref;
    ref.set_hash(blob_hash(bytes));
    ref.set_bytes(bytes.size());
    blobs[ref.hash()] = bytes;
    return ref;
  }

  Result<std::string> call(Method method, const std::string& request) override {
    ++calls;
    if (lose_calls > 0) return --lose_calls, fail(Code::io, "the line is cut");
    v1::Reply reply;
    reply.set_version(protocol_version);
    reply.set_server_time_ms(static_cast<std::uint64_t>(now_ms));
    if (method == Method::enrol)
      enrol(request, reply);
    else
      answer(method, request, reply);
    if (twist) twist(method, reply);
    const std::string bytes = reply.SerializeAsString();
    if (lose_replies > 0) return --lose_replies, fail(Code::io, "the line is cut");
    return garble ? garble(method, bytes) : bytes;
  }

  // What it does, and what a test may change.
  v1::TaskSpec spec;
  Task task;
  RowMatrix master;
  std::string encoded, version;
  v1::BlobRef full;
  std::map<std::string, std::string> blobs;
  std::uint32_t round = 0;
  std::int64_t now_ms = 1'000'000;
  std::int64_t clock_window_ms = 300'000;
  std::size_t piece_bytes = 100;
  bool offers_delta = false;
  bool brings_news = false;  // no work
  v1::BlobRef delta;
  std::function<void(Method, v1::Reply&)> twist;
  std::function<void(v1::Assignment&)> twist_assignment;
  std::function<void(v1::FetchReply&)> twist_fetch;
  std::function<void(v1::StepReply&)> twist_step;
  std::function<std::string(Method, const std::string&)> garble;
  std::function<void(v1::SumStart&)> twist_start;
  std::function<void(PartTotal&)> twist_total;  // what all members of a secure round are told of a part
  int lose_calls = 0, lose_replies = 0;

  // What it saw.
  int calls = 0;
  std::map<std::string, PublicKey> keys;
  std::map<std::string, std::uint64_t> nonces;
  std::set<std::string> contributions;
  std::uint64_t fetched_bytes = 0;
  std::string last_check_in;

  // Of a secure round.
  std::uint32_t cohort = 0;
  std::vector<PublicKey> directory;
  std::optional<SumServer> sum;
  std::vector<std::int64_t> total;
  PartTotal told;  // of a first part in the open: a test says what it came to

 private:
  void enrol(const std::string& bytes, v1::Reply& reply) {
    v1::EnrolRequest request;
    PublicKey key{};
    ASSERT_TRUE(request.ParseFromString(bytes) && verify_enrolment(request) &&
                read_key(request.public_key(), key));
    if (request.token() != "token") return reply.set_refusal(v1::REFUSAL_BAD_TOKEN);
    v1::EnrolReply body;
    body.set_device(text_of(device_id(key)));
    body.set_index(static_cast<std::uint32_t>(keys.size()));
    keys.emplace(body.device(), key);
    reply.set_body(body.SerializeAsString());
  }

  void answer(Method method, const std::string& bytes, v1::Reply& reply);
  void check_in(const std::string& device, const std::string& body, v1::Reply& reply);
  void fetch(const std::string& body, v1::Reply& reply);
  void step(const std::string& device, const std::string& body, v1::Reply& reply);
  [[nodiscard]] std::string upload_name(const std::string& device, const v1::StepRequest& request) const;
  // Whether all of it is in.
  bool upload(const std::string& device, const v1::StepRequest& request, v1::StepReply& reply);
  void close_phase(v1::Phase phase);
  void start_sum(std::uint32_t place, v1::StepReply& reply);
  void sum_step(const std::string& device, const v1::StepRequest& request, v1::StepReply& reply);
  Status take_sum(std::uint32_t place, v1::Phase phase, const std::string& data);
  std::string sum_answer(std::uint32_t place, v1::Phase phase);

  std::map<std::string, std::string> uploads_;  // by device, phase and part
  std::map<std::string, std::uint32_t> places_;
  std::map<int, std::set<std::uint32_t>> heard_;  // by phase
};

}  // namespace sotto::device
