// LedgerRecorder: the collector on one simulated person's device that writes their ledger. It stands before
// all others and sees the contribution as consent let it out; what protects it after that is the mechanism.
//
// Laws: every contribution of the person has a line, and it is on the disk before the contribution goes on,
// whatever becomes of the round; nothing of anybody else is looked at; contributions pass unchanged.
// So a line knows what was known then: ε with this round counted in, as it is charged when the round ends,
// and the bytes only where no mechanism changes how much is sent.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/vault.h"
#include "engine/plan/model_entry.h"
#include "fed/collector.h"
#include "fed/plan.h"

namespace sotto::engine {

// What a chain of collectors does, in the words of a ledger.
struct Mechanism {
  std::string name = "plain";
  std::function<double()> epsilon = nullptr;  // spent after the next release; none where there is no noise
  bool keeps_size = true;                     // what is sent is as long as the contribution in the open
};

// The person, and what is needed to name their items.
struct LedgerOwner {
  UserIndex user;
  const ModelEntry* model = nullptr;
  Histories histories;   // what may be trained on
  bool let_out = false;  // all of it was spoken of: no gate is asked again
  IdTable items;
  Plan plan;
  std::size_t catalogue = 0;  // items that a model knows
};

class LedgerRecorder final : public Collector {
 public:
  LedgerRecorder(LedgerOwner owner, Mechanism mechanism, std::unique_ptr<Vault> vault, Collector& next);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override { return next_.finish(total); }

 private:
  // The person's items that the pairs of a visit to features let speak.
  [[nodiscard]] std::vector<std::string> items_in_pairs() const;
  // The person's items that the contribution speaks of.
  [[nodiscard]] std::vector<std::string> items_in(const Contribution& contribution) const;

  LedgerOwner owner_;
  Mechanism mechanism_;
  std::unique_ptr<Vault> vault_;
  Collector& next_;
  std::uint32_t round_ = 0;
};

}  // namespace sotto::engine
