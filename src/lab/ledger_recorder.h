// LedgerRecorder: the collector on one simulated person's device that writes their ledger. It stands before
// all others and sees the contribution as consent let it out; what protects it after that is the mechanism.
//
// Laws: every round that the person answered has a line, also one that failed after it; nothing of anybody
// else is looked at; contributions pass unchanged.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fed/collector.h"
#include "fed/plan.h"
#include "lab/device_folder.h"
#include "lab/model_kind.h"

namespace sotto {

// What a chain of collectors does, in the words of a ledger.
struct Mechanism {
  std::string name = "plain";
  std::function<std::optional<double>(std::uint32_t round)> epsilon = nullptr;  // spent after that round
};

// The person, and what is needed to name their items.
struct LedgerOwner {
  UserIndex user;
  ModelKind model = ModelKind::fpl;
  Histories histories;  // what may be trained on
  IdTable items;
  Plan plan;
};

class LedgerRecorder final : public Collector {
 public:
  LedgerRecorder(LedgerOwner owner, Mechanism mechanism, LedgerFile ledger, Collector& next);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  // The person's items that the contribution speaks of.
  [[nodiscard]] std::vector<std::string> items_in(const Contribution& contribution) const;
  [[nodiscard]] Status write(const char* remark);

  LedgerOwner owner_;
  Mechanism mechanism_;
  LedgerFile ledger_;
  Collector& next_;
  std::uint32_t round_ = 0;
  std::size_t cohort_ = 0;
  std::optional<LedgerEntry> entry_;  // of the round at hand, if the person is in it
};

}  // namespace sotto
