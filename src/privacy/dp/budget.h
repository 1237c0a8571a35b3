// PrivacyBudget: how much may be learnt about one person in all, and what was charged for it. A release is
// charged before it happens; one that would pass the budget is refused and leaves no trace.
//
// Laws: what was spent is the ε of all charges together (RDP, rdp.h), never their plain sum; it never falls;
// the order of charges does not matter. engine/protect/budget_file.h keeps it over crashes and restarts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "privacy/dp/calibrate.h"
#include "privacy/dp/rdp.h"

namespace sotto::privacy {

// By the noise of its releases, or by the ε of each where nothing else is known.
enum class ChargeBy : std::uint8_t { noise, epsilon };

struct BudgetCharge {
  std::string what;  // for people: what was released, by which mechanism
  ChargeBy by = ChargeBy::noise;
  NoisyReleases releases;  // by ε: only `times` counts
  double epsilon = 0.0;    // by ε: of each release, without δ
};

class PrivacyBudget {
 public:
  explicit PrivacyBudget(const PrivacyGoal& goal) : goal_(goal) {}  // checked

  // Fails where the charge makes no sense, and where it would cost more than is left.
  [[nodiscard]] Status charge(const BudgetCharge& charge);

  [[nodiscard]] const PrivacyGoal& goal() const { return goal_; }
  [[nodiscard]] double spent() const { return ledger_.epsilon(goal_.delta); }
  // What was spent if δ were 0; infinite where Gaussian noise was released.
  [[nodiscard]] double spent_without_delta() const { return ledger_.pure_epsilon(); }
  // Charges of one kind that follow each other are one, with the times of all.
  [[nodiscard]] const std::vector<BudgetCharge>& charges() const { return charges_; }

 private:
  PrivacyGoal goal_;
  RdpLedger ledger_;
  std::vector<BudgetCharge> charges_;
};

}  // namespace sotto::privacy
