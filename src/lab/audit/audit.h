// The leakage audit: trains a federation while a curious server writes down what it sees, lets the attackers
// loose on it, and says with intervals how much more they know about people than popularity tells everybody.
//
// Laws: the federation's model is what the plan without a recorder gives (under noise: with that noise), byte
// for byte; the same request gives the same figures for any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "fed/plan.h"
#include "lab/audit/audit_view.h"
#include "metrics/bootstrap.h"
#include "privacy/audit/criteria_leak.h"
#include "privacy/audit/investigation.h"

namespace sotto::lab {

// Gaussian noise, for the views that have it.
struct AuditNoise {
  double multiplier = 0.0;  // σ: deviation of a sum's noise over the clip
  double clip = 1.0;        // length of a whole contribution
  double delta = 1e-6;
};

struct AuditRequest {
  TrainRequest train;  // model fpl or kgflex
  AuditView view;
  AuditNoise noise;
  bool keep_groups = false;
  double silent = 0.0;  // secure views: the share of devices that fall silent in each round, as all see
  bool local = false;   // the noise is each message's own: local differential privacy, under the plain view
  bool random_messages = false;  // the null control
  InvestigationOptions attack;
  std::uint32_t seeds = 1;
  std::string record;  // a file for the transcript of the first seed; empty: none
  bool looks = false;  // judge along the way, for the leak over rounds
};
[[nodiscard]] Status check(const AuditRequest& request);
// Whether every round has the same devices: all of them.
[[nodiscard]] bool everybody_in_every_round(const AuditRequest& request);
// How many fall silent in the smallest sum of a round of so many devices, as they are drawn: rounded down.
[[nodiscard]] std::size_t silent_devices(const AuditRequest& request, std::size_t cohort);
// Whose messages the request's model sends; it is one that is attacked.
[[nodiscard]] SeenModel seen_model(const AuditRequest& request);

struct AuditLook {
  std::uint64_t round = 0;  // rounds so far
  std::vector<Findings> findings;
};

// One seed of one plan under one view.
struct AuditRun {
  std::uint64_t rounds = 0;
  std::size_t known = 0;
  std::vector<Findings> findings;
  std::vector<Findings> features;   // KGFlex: how far the attackers came with people's profiles
  std::vector<double> sent_shares;  // of the judged: what was seen as it is, of the history or the profile
  std::vector<AuditLook> looks;
  std::optional<CriteriaLeak> criteria;  // where the plan has some
  std::string model_hash;                // empty for a transcript
};

struct AuditHooks {
  const std::atomic<bool>* stop = nullptr;                                  // set by Ctrl-C
  std::function<void(std::uint64_t round, std::uint64_t rounds)> on_round;  // may be empty
};

// `request.seeds` counts this one and those that follow it: sums that rounds of any of them cannot have are
// told before the first round; where people have terms of their own, by the round that has them.
[[nodiscard]] Result<AuditRun> audit_plan(const AuditRequest& request, const Split& split, std::uint64_t seed,
                                          Executor& executor, const AuditHooks& hooks);
// How many rounds, of how many devices.
[[nodiscard]] Result<Schedule> audit_schedule(const AuditRequest& request, const Split& split);
// On what was written down before; `name` is for the error texts.
[[nodiscard]] Result<AuditRun> audit_transcript(std::span<const std::byte> bytes, const std::string& name,
                                                const AuditRequest& request, const Split& split,
                                                Executor& executor, const AuditHooks& hooks);

// ε of the whole training for the noise of the request, by the Gaussian mechanism's exact curve; infinite
// without noise. Noise on sums hides whether a person is there; noise on single messages, which of all
// histories a person has.
[[nodiscard]] double epsilon_of(const AuditRequest& request, std::uint64_t rounds);

}  // namespace sotto::lab
