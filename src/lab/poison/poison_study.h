// The poisoning study: what malicious devices reach without a defence and with one (sim/poisoner.h,
// fed/robust_sum.h). FPL is trained clean, clean behind the defence, and under each attack on each target
// without and with the defence.
//
// Malicious are a share of the federation's own users: their devices send the attacker's messages instead of
// their own. Targets are drawn from the items with few training interactions, unless others are asked for.
// Everything is judged over the honest users alone, the same ones in every arm. Law: the same request and
// split give the same figures, for any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "sim/poisoner.h"

namespace sotto::lab {

struct PoisonRequest {
  TrainRequest train;  // its robust sums are the defence; none asked for: the standard one
  std::vector<PoisonAttack> attacks{all_attacks, all_attacks + std::size(all_attacks)};
  double malicious = 0.05;
  std::uint32_t targets = 3;
  std::uint32_t least = 0;  // a target has so many training interactions,
  std::uint32_t cold = 5;   // and at most so many
  double strength = 5.0;
};
[[nodiscard]] Status check(const PoisonRequest& request);

// At the first cut-off of the request.
struct PoisonFigures {
  double exposure = 0.0;  // ER@k, a mean over targets
  double hit_rate = 0.0;
  double precision = 0.0;
  double ndcg = 0.0;

  void add(const PoisonFigures& other, double weight);
};

struct TargetOutcome {
  ItemIndex target;
  std::uint32_t interactions = 0;  // in training
  PoisonFigures attacked;
  PoisonFigures defended;
};

struct AttackOutcome {
  PoisonAttack attack = PoisonAttack::boost;
  std::vector<TargetOutcome> targets;
  PoisonFigures attacked;  // means over targets
  PoisonFigures defended;
};

struct PoisonOutcome {
  std::uint32_t cutoff = 10;
  std::size_t users = 0;
  std::size_t malicious = 0;
  std::size_t candidates = 0;  // items that could be targets
  RobustOptions defence;
  PoisonFigures clean;
  PoisonFigures clean_defended;
  std::vector<AttackOutcome> attacks;
  double seconds = 0.0;
};

struct PoisonHooks {
  std::function<void(const std::string&)> on_run;  // before each training
  const std::atomic<bool>* stop = nullptr;
};

// For cold targets (docs/adr/0016): row clip 1, and as many contributors as keep `malicious` devices from
// moving a row that only chance brings honest devices to.
[[nodiscard]] RobustOptions standard_defence(const Schedule& schedule, std::size_t catalogue,
                                             std::size_t malicious);

[[nodiscard]] Result<PoisonOutcome> run_poison_study(const PoisonRequest& request, const Split& split,
                                                     Executor& executor, const PoisonHooks& hooks);

}  // namespace sotto::lab
