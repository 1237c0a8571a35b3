// A training by federated averaging from its first round to its last, with looks at every device's own test
// examples, checkpoints and clean stops.
//
// Laws: the same request, task and facts give the same model hash and the same curve for any number of
// threads, plain or under a secure sum; a run that was stopped and goes on from its checkpoint ends with the
// bytes of an undisturbed one.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/executor.h"
#include "engine/averaging/averaging_request.h"
#include "engine/averaging/order_choice.h"
#include "engine/plan/request.h"
#include "engine/train/training.h"

namespace sotto::engine {

// What is trained, and what criteria are measured on. All outlive the run.
struct AveragingParts {
  const LocalTask& task;
  const FactsSource& facts;
  // Told after every round, counted from 0, who took part; may be empty.
  std::function<void(std::uint32_t, std::span<const UserIndex>)> note_round = {};
  std::string plan_hash = {};  // what a checkpoint belongs to
};

struct WeightSpread {
  double least = 1.0;  // the mean is 1
  double most = 1.0;
  double sd = 0.0;
};
[[nodiscard]] WeightSpread weight_spread(std::span<const double> weights);

// What is known of one round afterwards.
struct AveragingRound {
  std::uint32_t round = 0;  // from 1
  RoundReport report;
  std::vector<std::uint32_t> right;  // of each device's test examples; empty: nobody looked
  double accuracy = 0.0;             // where somebody looked
  WeightSpread weights;
  std::string order;  // of criteria that held; empty without any
  OrderCosts costs;   // so far
};

struct AveragingOutcome {
  AccuracyCurve curve;
  std::vector<AveragingRound> rounds;
  RoundReport totals;
  OrderCosts costs;
  std::string model_hash;
  RowMatrix model;
  std::size_t parameters = 0;
  std::size_t devices = 0;
  std::uint32_t cohort = 0;
  std::uint32_t best_round = 0;
  double best_accuracy = 0.0;
  // One a test example, device after device: 1 where the model of the best round is right.
  std::vector<std::uint8_t> best_right;
  bool goal_reached = false;  // it stopped for the goal that was asked for
  double seconds = 0.0;
};

struct AveragingHooks {
  std::function<Status(const AveragingRound&)> on_round = {};
  std::function<Status(const Checkpoint&)> on_checkpoint = {};  // when due, and when stopped
  std::function<bool()> checkpoint_due = {};                    // asked between rounds
  const std::atomic<bool>* stop = nullptr;
};

// What can be said of a request and its task before the first round.
[[nodiscard]] Status check_run(const AveragingRequest& request, const LocalTask& task);

// The request has passed its check. Stopped by hooks.stop: Code::cancelled.
[[nodiscard]] Result<AveragingOutcome> run_averaging(const AveragingRequest& request,
                                                     const AveragingParts& parts, Executor& executor,
                                                     const AveragingHooks& hooks,
                                                     std::optional<Checkpoint> before = std::nullopt);

}  // namespace sotto::engine
