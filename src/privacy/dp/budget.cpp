#include "privacy/dp/budget.h"

#include <fmt/core.h>

#include <cmath>

namespace sotto::privacy {

namespace {

Status check(const BudgetCharge& charge) {
  if (charge.releases.times == 0) return fail(Code::usage, "a charge is for at least one release");
  if (charge.by == ChargeBy::noise) return check(charge.releases);
  if (charge.epsilon > 0.0 && std::isfinite(charge.epsilon)) return Done{};
  return fail(Code::usage,
              fmt::format("a release without delta costs an epsilon above 0, not {}", charge.epsilon));
}

void add(const BudgetCharge& charge, RdpLedger& ledger) {
  if (charge.by == ChargeBy::noise)
    ledger.add(charge.releases);
  else
    ledger.add_pure(charge.epsilon, charge.releases.times);
}

// Rounds of one training are one line.
bool same_release(const BudgetCharge& a, const BudgetCharge& b) {
  return a.what == b.what && a.by == b.by && a.epsilon == b.epsilon && a.releases.kind == b.releases.kind &&
         a.releases.noise == b.releases.noise && a.releases.sampling == b.releases.sampling;
}

}  // namespace

Status PrivacyBudget::charge(const BudgetCharge& charge) {
  SOTTO_TRY_DONE(check(charge));
  RdpLedger ledger = ledger_;
  add(charge, ledger);
  const double after = ledger.epsilon(goal_.delta);
  // What was planned to the last digit may miss it by rounding.
  if (!(after <= goal_.epsilon * (1.0 + 1e-9)))
    return fail(
        Code::bad_input,
        fmt::format("the privacy budget is spent: {} would bring epsilon to {:.4f} at delta {}, {:.4f} "
                    "is allowed and {:.4f} spent; nothing was released",
                    charge.what, after, goal_.delta, goal_.epsilon, spent()));
  ledger_ = std::move(ledger);
  if (!charges_.empty() && same_release(charges_.back(), charge))
    charges_.back().releases.times += charge.releases.times;
  else
    charges_.push_back(charge);
  return Done{};
}

}  // namespace sotto::privacy
