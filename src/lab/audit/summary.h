// What an audit found, for people: means over the judged with their intervals, controls with their verdicts,
// and the curves of the leak.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/audit/audit.h"
#include "lab/audit/canaries.h"

namespace sotto::lab {

struct Estimate {
  double mean = 0.0;
  Interval range;      // 95%, bootstrap over the judged (and seeds)
  double error = 0.0;  // of the mean: its standard deviation
};

struct LeakEstimates {
  Estimate auc, f1, tpr, named;
};

struct AttackerSummary {
  Attacker attacker = Attacker::popularity;
  std::uint32_t seeds_with_evidence = 0;  // in so many its evidence helped on the known
  LeakEstimates alone;
  LeakEstimates informed;
  LeakEstimates advantage;  // informed minus A0, person by person
};

struct LookSummary {
  std::uint64_t round = 0;
  std::vector<std::pair<Attacker, Estimate>> f1;  // informed
};

struct AuditSummary {
  std::uint64_t rounds = 0;
  std::size_t known = 0;
  std::size_t judged = 0;  // over all seeds
  std::vector<AttackerSummary> attackers;
  std::vector<AttackerSummary> features;  // KGFlex: how well they find the features people care about
  Estimate sent;  // share of a history (KGFlex: of a profile) that was seen as it is in a single message
  std::vector<LookSummary> looks;
  std::optional<CriteriaLeak> criteria;  // of the first seed
  std::string model_hash;                // likewise

  [[nodiscard]] const AttackerSummary* of(Attacker attacker) const;
  // The attacker with the largest advantage in F1, A0 left out; null if nobody else was asked for.
  [[nodiscard]] const AttackerSummary* strongest() const;
  // No attacker's advantage, in any of the four figures and about items or features, has an interval above
  // zero.
  [[nodiscard]] bool shows_no_leak() const;
  // The gain that chance explains least.
  struct LargestGain {
    std::string what = "nobody";  // "A3 in AUC"
    Estimate gain;
    double chance = 1.0;  // of one that large among all attackers and figures if there were none (Bonferroni)
  };
  [[nodiscard]] LargestGain largest_gain() const;
};

[[nodiscard]] AuditSummary summarise(const std::vector<AuditRun>& seeds, Executor& executor);

// A run whose outcome is known beforehand if the audit works.
struct AuditControl {
  std::string name;
  std::string expected;
  std::string measured;
  bool held = false;
};

// A point of a curve: the leak of a plan that differs in one setting.
struct AuditPoint {
  double x = 0.0;      // π, ε, or the devices in a sum
  std::string series;  // "sticky", "redraw"; "single messages", "secure sum"
  AuditSummary summary;
};

struct AuditReport {
  AuditRequest request;
  std::string data;        // what was audited, in words
  std::string transcript;  // the file, where one was given
  AuditSummary main;
  std::optional<double> epsilon;  // of the main run, where it has noise
  std::vector<AuditControl> controls;
  std::vector<AuditPoint> over_pi;
  std::vector<AuditPoint> over_epsilon;
  std::vector<AuditPoint> over_group;
  std::vector<AuditPoint> over_silent;
  std::optional<CanaryOutcome> canaries;
};

[[nodiscard]] nlohmann::json to_json(const AuditReport& report);

}  // namespace sotto::lab
