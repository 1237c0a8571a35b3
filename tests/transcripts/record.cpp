// Made the files *_0_1_0.txt here, with the sources of version 0.1.0 (revision b5b9bb87, the last before
// models beyond fpl and fedals came to the network). It is built there, and no part of this version's build:
//
//   add_executable(record record.cpp)      # beside src/fed/wire/testing/transcript.h of this version
//   target_link_libraries(record PRIVATE sotto_device sotto_server)
#include <cstdio>
#include <deque>
#include <optional>

#include "device/enrol.h"
#include "device/exchange.h"
#include "device/memory_device_store.h"
#include "fed/wire/testing/transcript.h"
#include "server/coordinator.h"
#include "server/testing/memory_store.h"

namespace sotto {

using namespace fed;  // NOLINT: a program of one file
using namespace device;
using namespace server;

namespace {

struct Quiet final : LogSink {
  void line(const LogLine&) override {}
};

std::string hex(const std::string& bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size());
  text.pop_back();
  return text;
}

struct Recorder final : Transport {
  Coordinator* coordinator = nullptr;
  std::FILE* file = nullptr;
  std::int64_t now = recorded_start_ms;
  std::uint32_t device = 0;
  Result<std::string> call(Method method, const std::string& request) override {
    const std::string reply = coordinator->handle(method, request, now);
    std::fprintf(file, "%lld %u %d %s %s\n", static_cast<long long>(now), device, static_cast<int>(method),
                 hex(request).c_str(), hex(reply).c_str());
    return reply;
  }
};

struct Person {
  std::vector<ItemIndex> history;
  PersonalPolicy policy;
  SharedShelf shelf;
  std::optional<MemoryDeviceStore> kept;
  std::optional<Exchange> exchange;
};

void record(const RecordedWorld& world) {
  draw_as_recorded();
  TaskConfig config;
  config.spec = recorded_spec(world);
  config.catalogue = recorded_names();
  config.rules.goal = config.rules.quorum = world.devices;
  config.rules.over_selection = 1.0;
  config.rules.rounds = world.rounds;
  MemoryStore store;
  Quiet log;
  auto coordinator = Coordinator::open(store, {}, {config}, log, recorded_start_ms);
  if (!coordinator.ok()) return (void)std::fprintf(stderr, "%s\n", coordinator.error().message.c_str());
  Recorder wire;
  wire.coordinator = coordinator->get();
  wire.file = std::fopen((std::string(world.name) + "_0_1_0.txt").c_str(), "w");
  IdTable names;
  for (std::uint32_t item = 0; item < recorded_items; ++item) names.intern("film " + std::to_string(item));
  std::deque<Person> people;
  for (std::uint32_t n = 0; n < world.devices; ++n) {
    wire.device = n;
    (void)store.add_tokens(std::vector<std::string>{blob_hash(recorded_token(n))});
    Person& one = people.emplace_back();
    one.history = recorded_history(n);
    one.kept.emplace(one.shelf, MemoryPerson{one.history, &names, &one.policy, nullptr});
    one.kept->keep_enrolment(*enrol(wire, recorded_token(n), Secret(simulated_key(n, "recorded"))));
    ExchangeOptions options;
    options.entropy = [n, draw = std::uint64_t{0}]() mutable { return simulated_key(n, "recorded", draw++); };
    one.exchange.emplace(*one.kept, options);
  }
  for (std::uint32_t round = 0; round < world.rounds; ++round) {
    std::vector<bool> done(world.devices, false);
    for (int turn = 0; turn < 200; ++turn)
      for (std::uint32_t n = 0; n < world.devices; ++n) {
        if (done[n]) continue;
        wire.device = n;
        wire.now += 10;
        (*coordinator)->tick(wire.now);
        const auto next = *people[n].exchange->advance(wire, wire.now);
        done[n] = next.what != Exchange::Next::What::wait;
        if (done[n])
          std::fprintf(stderr, "%s %u: %s %s\n", world.name, n, to_string(next.report.ending),
                       next.report.why.c_str());
      }
    wire.now += 100'000;
    (*coordinator)->tick(wire.now);
  }
  std::fprintf(wire.file, "model %s\n", store.versions("films", 1)->front().model_hash.c_str());
  std::fclose(wire.file);
}

}  // namespace
}  // namespace sotto

int main() {
  for (const auto& world : sotto::fed::recorded_worlds) sotto::record(world);
}
