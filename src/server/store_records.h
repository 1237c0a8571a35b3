// What a coordinator's store keeps, record by record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fed/wire/signed_request.h"

namespace sotto::server {

// Where a device answers from, once it has moved.
struct DeviceHome {
  HomeId home{};
  std::uint32_t moves = 0;    // the homes up to this one
  std::int64_t since_ms = 0;  // when it first answered from there

  [[nodiscard]] bool operator==(const DeviceHome& other) const = default;
};

struct DeviceRecord {
  DeviceId id{};
  PublicKey key{};
  std::uint32_t index = 0;  // given at enrolment, 0, 1, 2 …; never given twice
  bool revoked = false;
  std::int64_t enrolled_ms = 0;
  std::int64_t last_seen_ms = 0;
  std::optional<DeviceHome> home = {};  // none: it never moved
};

enum class TaskState : std::uint8_t { running, paused, finished };

struct TaskRecord {
  std::string name;
  std::string spec;  // v1::TaskSpec, encoded: what decides what is computed
  TaskState state = TaskState::running;
  std::uint32_t next_round = 0;  // numbers below it were given and are never given again
  std::string budget;            // of differential privacy, as text; empty: none
};

// That a version goes to a share of the devices first (server/trial.h).
struct VersionTrial {
  std::uint32_t stable = 0;      // the version that all others keep
  std::uint32_t millionths = 0;  // of the devices
  std::string salt;
  bool promoted = false;  // all devices are given it: the trial is over

  [[nodiscard]] bool operator==(const VersionTrial& other) const = default;
};

// A released model. Version 0 is the start.
struct VersionRecord {
  std::string task;
  std::uint32_t number = 0;
  std::uint32_t round = 0;  // whose sum made it
  std::uint64_t contributions = 0;
  std::string model_hash;  // hash_rows of the master, as `sotto train` prints it
  std::string master;      // blob_hash of the encoded f32 rows, which are in the blobs
  std::int64_t time_ms = 0;
  // It is that version's model once more, with rows for items that came since; none: a round made it.
  std::optional<std::uint32_t> again = {};
  // The newest version is on trial until it is promoted; an older one that never was is dropped.
  std::optional<VersionTrial> trial = {};
};

enum class RoundState : std::uint8_t { open, committed, abandoned };

struct RoundRecord {
  std::string task;
  std::uint32_t round = 0;
  RoundState state = RoundState::open;
  std::int64_t opened_ms = 0;
  std::int64_t closed_ms = 0;
  std::uint64_t assigned = 0;
  std::uint64_t contributions = 0;
  std::string why;  // of an abandoned one, for the operator
};

// How good the lists are that devices make of a version, released as one sum.
struct EvaluationRecord {
  std::string task;
  std::uint32_t version = 0;
  std::uint64_t people = 0;
  std::string figures;  // as text
  std::int64_t time_ms = 0;
  // They are of the version that all others kept while this one was on trial, as those others judged it.
  bool beside = false;
};

}  // namespace sotto::server
