// A coordinator on any bytes: raw requests, and the bodies of requests that an enrolled device signed.
// Laws checked: every answer is a reply; whatever was asked, an honest device is served afterwards.
// Input: pieces of one byte (what it is), one byte (its length) and that many bytes. What it is: the method,
// and whether the piece is the request itself or what a device signs.
#include <cstdint>
#include <span>
#include <string>

#include "base/assert.h"
#include "fed/wire/signed_request.h"
#include "server/coordinator.h"
#include "server/testing/memory_store.h"

namespace {

using namespace sotto::fuzz;

constexpr std::int64_t now_ms = 1'700'000'000'000;
constexpr const char* token = "a token";

class Silence final : public LogSink {
 public:
  void line(const LogLine& /*line*/) override {}
};

TaskConfig small_task() {
  TaskConfig config;
  sotto::v1::TaskSpec& spec = config.spec;
  spec.set_name("t");
  spec.set_model("fpl");
  spec.set_factors(2);
  spec.set_learning_rate(0.05f);
  spec.set_init_sd(0.1f);
  spec.set_triples(2);
  spec.set_fixed_bits(20);
  spec.set_items(6);
  config.rules.goal = 3;
  return config;
}

// One device and the coordinator it is enrolled at.
class Desk {
 public:
  Desk() : device_(Secret(simulated_key(1, "fuzz"))) {
    const std::string hash = blob_hash(token);
    SOTTO_ASSERT(store_.add_tokens(std::span(&hash, 1)).ok(), "a store in memory takes tokens");
    auto opened = Coordinator::open(store_, {}, {small_task()}, log_, now_ms);
    SOTTO_ASSERT(opened.ok(), "the task can run");
    coordinator_ = std::move(*opened);
    SOTTO_ASSERT(ask(Method::enrol, sign_enrolment(token, device_).SerializeAsString()).refusal() ==
                     sotto::v1::REFUSAL_NONE,
                 "a device enrols");
  }

  sotto::v1::Reply ask(Method method, const std::string& request) {
    sotto::v1::Reply reply;
    SOTTO_ASSERT(reply.ParseFromString(coordinator_->handle(method, request, now_ms)),
                 "every answer is a reply");
    return reply;
  }
  sotto::v1::Reply ask_signed(Method method, const std::string& body) {
    ++nonce_;
    return ask(method, sign_request(method, body, now_ms, nonce_, device_).SerializeAsString());
  }

 private:
  Identity device_;
  MemoryStore store_;
  Silence log_;
  std::unique_ptr<Coordinator> coordinator_;
  std::uint64_t nonce_ = static_cast<std::uint64_t>(now_ms) * 1000;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr Method methods[] = {Method::enrol, Method::check_in, Method::fetch, Method::step};
  Desk desk;
  for (std::size_t at = 0; at + 2 <= size;) {
    const std::uint8_t what = data[at];
    const std::size_t length = std::min<std::size_t>(data[at + 1], size - at - 2);
    const std::string piece(reinterpret_cast<const char*>(data) + at + 2, length);
    const Method method = methods[what % 4];
    (void)(what & 4 ? desk.ask(method, piece) : desk.ask_signed(method, piece));
    at += 2 + length;
  }
  SOTTO_ASSERT(desk.ask_signed(Method::check_in, "").refusal() == sotto::v1::REFUSAL_NONE,
               "an honest device is served afterwards");
  return 0;
}
