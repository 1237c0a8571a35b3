// For tests: whole exchanges between devices and a coordinator as programs of version 0.1.0 had them
// (tests/transcripts/*_0_1_0.txt, made by tests/transcripts/record.cpp with that version), and the world that
// they are of. The files are never edited.
#pragma once

#include <sodium.h>
#include <sotto/v1/federation.pb.h>

#include <cstdint>
#include <cstring>
#include <istream>
#include <string>
#include <vector>

#include "data/ids.h"
#include "fed/wire/transport.h"

namespace sotto::fed {

struct RecordedCall {
  std::int64_t now_ms = 0;
  std::uint32_t device = 0;
  Method method = Method::enrol;
  std::string request, reply;
};

inline std::string recorded_bytes(const std::string& hex) {
  std::string bytes(hex.size() / 2, '\0');
  std::size_t size = 0;
  (void)sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), hex.data(), hex.size(),
                       nullptr, &size, nullptr);
  bytes.resize(size);
  return bytes;
}

struct Transcript {
  std::vector<RecordedCall> calls;
  std::string model_hash;  // of the newest version in the end
};

inline Transcript read_transcript(std::istream& file) {
  Transcript all;
  std::string word;
  while (file >> word) {
    if (word == "model") {
      file >> all.model_hash;
      continue;
    }
    RecordedCall call;
    int method = 0;
    std::string request, reply;
    call.now_ms = std::stoll(word);
    file >> call.device >> method >> request >> reply;
    call.method = static_cast<Method>(method);
    call.request = recorded_bytes(request);
    call.reply = recorded_bytes(reply);
    all.calls.push_back(std::move(call));
  }
  return all;
}

// What was recorded: one task each.
struct RecordedWorld {
  const char* name;
  const char* model;
  bool secure;
  std::uint32_t devices;
  std::uint32_t rounds;
};
inline constexpr RecordedWorld recorded_worlds[]{
    {"fpl", "fpl", false, 3, 2}, {"fedals", "fedals", false, 3, 2}, {"fpl_secure", "fpl", true, 4, 1}};
inline constexpr std::uint32_t recorded_items = 24;
inline constexpr std::int64_t recorded_start_ms = 1'700'000'000'000;

inline v1::TaskSpec recorded_spec(const RecordedWorld& world) {
  v1::TaskSpec spec;
  spec.set_name("films");
  spec.set_model(world.model);
  spec.set_factors(4);
  spec.set_init_sd(0.1f);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_items(recorded_items);
  if (spec.model() == "fpl") {
    spec.set_learning_rate(0.05f);
    spec.set_user_reg(0.0025f);
    spec.set_positive_reg(0.0025f);
    spec.set_negative_reg(0.00025f);
    spec.set_triples(5);
    spec.set_down(v1::PRECISION_I8);
  } else {
    spec.set_lambda(0.5f);
    spec.set_confidence(3.0f);
    spec.set_reg_power(0.25f);
  }
  if (world.secure) {
    spec.set_sum(v1::SUM_SECURE);
    spec.mutable_assumed()->set_dropped(0.3);
    spec.mutable_assumed()->set_leak(0x1p-10);
    spec.mutable_assumed()->set_abort(0x1p-10);
    spec.mutable_assumed()->set_crowd(2);
  }
  return spec;
}
inline std::string recorded_names() {
  std::string names;
  for (std::uint32_t item = 0; item < recorded_items; ++item) names += "film " + std::to_string(item) + "\n";
  return names;
}
inline std::vector<ItemIndex> recorded_history(std::uint32_t device) {
  std::vector<ItemIndex> items;
  for (std::uint32_t item = 0; item < recorded_items; ++item)
    if ((item * 7 + device * 13) % 5 < 2) items.push_back(ItemIndex{item});
  return items;
}
inline std::string recorded_token(std::uint32_t device) { return "token " + std::to_string(device); }

// From now on the system's generator gives what it gave when the files were made: names of 16 bytes count up,
// so that one more draw of anything else does not change them.
inline void draw_as_recorded() {
  if (sodium_init() < 0) return;  // it draws a name of its own, when it is first called
  static std::uint64_t names = 0, others = 0;
  names = others = 0;
  static randombytes_implementation counting{};
  counting.implementation_name = [] { return "counting"; };
  counting.random = []() -> std::uint32_t { return static_cast<std::uint32_t>(++others * 2654435761u); };
  counting.buf = [](void* place, std::size_t size) {
    std::memset(place, 0, size);
    if (size == 16) {
      const std::uint64_t name = ++names;
      std::memcpy(place, &name, sizeof name);
    } else {
      auto* bytes = static_cast<unsigned char*>(place);
      for (std::size_t k = 0; k < size; ++k)
        bytes[k] = static_cast<unsigned char>(++others * 2654435761u >> 13);
    }
  };
  (void)randombytes_set_implementation(&counting);
}
inline void draw_as_ever() { (void)randombytes_set_implementation(&randombytes_sysrandom_implementation); }

}  // namespace sotto::fed
