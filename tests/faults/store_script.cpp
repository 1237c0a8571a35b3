#include "tests/faults/store_script.h"

namespace sotto::tests {

namespace {

constexpr int blobs = 5;
constexpr int tokens = 4;

std::string blob_bytes(int number) { return std::string(5000, static_cast<char>('a' + number)); }
std::string token_hash(int number) { return blob_hash("token " + std::to_string(number)); }

PublicKey key_of(int number) {
  PublicKey key{};
  key[0] = static_cast<std::uint8_t>(number + 1);
  return key;
}

std::string outcome(const Status& status) {
  return status.ok() ? "done" : "error " + std::to_string(static_cast<int>(status.error().code));
}

RoundRecord round_of(std::uint32_t number) {
  RoundRecord round;
  round.task = "films";
  round.round = number;
  round.opened_ms = 100 + number;
  return round;
}

VersionRecord version_of(std::uint32_t number, std::uint32_t round, int blob) {
  return {"films", number, round, number * 10ULL, "model", blob_hash(blob_bytes(blob)), 1000 + number};
}

ScriptStep put(int blob) {
  return {"put_blob", [blob](Store& store) {
            const auto hash = store.put_blob(blob_bytes(blob));
            return hash.ok() ? *hash : outcome(hash.error());
          }};
}

ScriptStep enrol(int token, int key) {
  return {"enrol", [=](Store& store) {
            const auto device = store.enrol(token_hash(token), key_of(key), 50 + key);
            return device.ok() ? "index " + std::to_string(device->index) : outcome(device.error());
          }};
}

ScriptStep open_round(std::uint32_t number) {
  return {"open_round", [=](Store& store) { return outcome(store.open_round(round_of(number))); }};
}

ScriptStep commit(std::uint32_t round, std::uint32_t version, int blob) {
  return {"commit_round", [=](Store& store) {
            RoundRecord record = round_of(round);
            record.contributions = version * 10ULL;
            return outcome(store.commit_round(record, version_of(version, round, blob),
                                              "spent " + std::to_string(version)));
          }};
}

ScriptStep release_again() {
  return {"release_again", [](Store& store) {
            VersionRecord version = version_of(3, 0, 1);
            version.again = 1;
            version.trial = VersionTrial{.stable = 2, .millionths = 250'000, .salt = "salt"};
            return outcome(store.release_again(version));
          }};
}

ScriptStep grow(std::uint32_t number) {
  return {"grow_task", [=](Store& store) {
            VersionRecord version = version_of(number, 0, 3);
            version.again = number - 1;
            return outcome(store.grow_task("spec of more items", version));
          }};
}

ScriptStep promote(std::uint32_t version) {
  return {"promote", [=](Store& store) { return outcome(store.promote("films", version)); }};
}

ScriptStep evaluate(std::uint64_t people, bool beside = false) {
  return {"add_evaluation", [=](Store& store) {
            return outcome(store.add_evaluation({"films", 3, people, "figures", 77, beside}));
          }};
}

std::vector<ScriptStep> make_script() {
  return {
      put(0),
      {"add_task",
       [](Store& store) {
         return outcome(store.add_task({"films", "spec", TaskState::running, 0, ""}, version_of(0, 0, 0)));
       }},
      {"add_tokens",
       [](Store& store) {
         std::vector<std::string> hashes;
         for (int number = 0; number < tokens; ++number) hashes.push_back(token_hash(number));
         return outcome(store.add_tokens(hashes));
       }},
      enrol(0, 0),
      enrol(1, 1),
      enrol(0, 0),  // asked again: the same index
      enrol(1, 2),  // somebody else's token
      open_round(0),
      put(1),
      put(2),
      commit(0, 1, 1),
      {"note_seen",
       [](Store& store) {
         return outcome(store.note_seen(
             std::vector<Store::Seen>{{device_id(key_of(0)), 500}, {device_id(key_of(1)), 600}}));
       }},
      open_round(1),
      {"revoke", [](Store& store) { return outcome(store.set_revoked(device_id(key_of(1)), true)); }},
      {"abandon_round",
       [](Store& store) {
         RoundRecord round = round_of(1);
         round.why = "nobody came";
         return outcome(store.abandon_round(round, "charged"));
       }},
      {"unrevoke", [](Store& store) { return outcome(store.set_revoked(device_id(key_of(1)), false)); }},
      {"forget", [](Store& store) { return outcome(store.forget(device_id(key_of(0)))); }},
      enrol(2, 3),
      open_round(2),
      put(3),
      commit(2, 2, 3),
      commit(2, 3, 3),  // the round is closed
      release_again(),
      evaluate(12),
      evaluate(13),  // once
      evaluate(14, true),
      evaluate(15, true),
      promote(2),  // it never was on trial
      promote(3),
      promote(3),  // once
      grow(5),     // the next is 4
      grow(4),
      put(4),
      {"keep_blobs",
       [](Store& store) {
         return outcome(store.keep_blobs(std::vector<std::string>{blob_hash(blob_bytes(4))}));
       }},
      {"set_task_state",
       [](Store& store) { return outcome(store.set_task_state("films", TaskState::finished)); }},
  };
}

}  // namespace

const std::vector<ScriptStep>& store_script() {
  static const std::vector<ScriptStep> script = make_script();
  return script;
}

std::unique_ptr<PlainStore> after(std::size_t steps) {
  auto store = std::make_unique<PlainStore>();
  for (std::size_t step = 0; step < steps; ++step) static_cast<void>(store_script()[step].run(*store));
  return store;
}

std::vector<bool> blobs_in(Store& store) {
  std::vector<bool> found;
  for (int number = 0; number < blobs; ++number) {
    const auto blob = store.blob(blob_hash(blob_bytes(number)));
    found.push_back(blob.ok() && *blob == blob_bytes(number));
  }
  return found;
}

std::string tokens_left(Store& store) {
  std::string text;
  for (int number = 0; number < tokens; ++number) text += enrol(number, 20 + number).run(store) + "\n";
  return text;
}

}  // namespace sotto::tests
