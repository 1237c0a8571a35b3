// PrivacyBudget: how much may be learnt about one person in all, and what was charged for it. A release is
// charged before it happens; one that would pass the budget is refused and leaves no trace.
//
// Laws: what was spent is the ε of all charges together (RDP, rdp.h), never their plain sum; it never falls;
// the order of charges does not matter. lab/budget_file.h keeps it over crashes and restarts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "privacy/dp/calibrate.h"
#include "privacy/dp/rdp.h"

namespace sotto {

enum class NoiseKind : std::uint8_t { gaussian, pure };

struct BudgetCharge {
  std::string what;  // for people: what was released, by which mechanism
  NoiseKind kind = NoiseKind::gaussian;
  NoisyReleases releases;  // gaussian; of pure ones only `times` counts
  double epsilon = 0.0;    // pure: of each release
};

class PrivacyBudget {
 public:
  explicit PrivacyBudget(const PrivacyGoal& goal) : goal_(goal) {}  // checked

  // Fails where the charge makes no sense, and where it would cost more than is left.
  [[nodiscard]] Status charge(const BudgetCharge& charge);

  [[nodiscard]] const PrivacyGoal& goal() const { return goal_; }
  [[nodiscard]] double spent() const { return ledger_.epsilon(goal_.delta); }
  // Charges of one kind that follow each other are one, with the times of all.
  [[nodiscard]] const std::vector<BudgetCharge>& charges() const { return charges_; }

 private:
  PrivacyGoal goal_;
  RdpLedger ledger_;
  std::vector<BudgetCharge> charges_;
};

}  // namespace sotto
