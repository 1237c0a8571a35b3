// Forgetting: a model as if one person had never answered, and a split without them.
//
//   subtract   models made of one sum of pairs: the person's pairs are taken back from the sum, exactly, and
//              the server solves again. Nobody else is asked.
//   replay     models trained in rounds: the rounds since the person's first contribution run again without
//              them, from the last kept checkpoint before it (engine/train/kept_checkpoints.h), or from the
//              start: where somebody's weight follows from all histories (novelty; size without a bound),
//              rounds before it depend on the person, too.
//
// Law: the model is, bit for bit, that of the same plan in which the person stayed silent from the first
// round. (Federated ALS is a sum of statistics in each round, but every round's statistics depend on the
// rounds before: what is exact for one sum is not for many, so it is replayed.)
// Refused: subtracting from what is not the sum of all who answered (robust rules, silent devices), a second
// replay (the plan followed from everybody who was there), and runs with noise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "engine/train/kept_checkpoints.h"
#include "engine/train/training.h"

namespace sotto::engine {

struct ForgetRequest {
  TrainRequest request;  // of the run
  UserIndex user;
  std::optional<KeptCheckpoints> kept = {};
  bool check = false;  // make the model from the start, too, and compare
};

// What one way to the model costs, and its name by content.
struct ForgetCost {
  std::string hash;
  double seconds = 0.0;
  std::uint64_t rounds = 0;
  std::uint64_t bytes_up = 0;    // what devices must send again
  std::uint64_t bytes_down = 0;  // the models that go out
};

struct Forgotten {
  TrainRequest request;                     // of the run from now on: it does not name the person
  std::unique_ptr<Split> split;             // without the person; the model refers to it
  std::unique_ptr<Split> replayed_on = {};  // what a replay ran on, with them; its models refer to this
  Trained trained;
  const char* way = "";
  std::optional<std::uint32_t> first_round;  // of the person; none: never asked, or one sum
  std::uint64_t kept_bytes = 0;              // of the sum that the server must keep to subtract from
  ForgetCost cost;
  std::optional<ForgetCost> retrain;
  std::optional<Trained> retrained;  // where it was asked to check: the model from the start
};

[[nodiscard]] Result<Forgotten> forget(const ForgetRequest& request, const Split& split, Executor& executor);

// Names a model by its answers to each single item: for models that are no matrix in a file.
[[nodiscard]] std::string hash_answers(const Recommender& model);

}  // namespace sotto::engine
