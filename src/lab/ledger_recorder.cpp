#include "lab/ledger_recorder.h"

#include <algorithm>

#include "fed/messages.h"

namespace sotto {

LedgerRecorder::LedgerRecorder(LedgerOwner owner, Mechanism mechanism, std::unique_ptr<Vault> vault,
                               Collector& next)
    : owner_(std::move(owner)), mechanism_(std::move(mechanism)), vault_(std::move(vault)), next_(next) {}

Status LedgerRecorder::begin(const RoundPlace& place) {
  round_ = place.round;
  return next_.begin(place);
}

std::vector<std::string> LedgerRecorder::items_in(const Contribution& contribution) const {
  std::vector<std::string> names;
  // Where a row is an item's, what was sent is in the rows; answers about everything, or about pairs, hold
  // what the gate let out, asked in the order of the history.
  const bool by_rows = owner_.model == ModelKind::fpl || owner_.model == ModelKind::fedals;
  const std::uint32_t first_row = owner_.model == ModelKind::fedals ? 1 : 0;
  ConsentGate gate(owner_.plan.consent, owner_.plan.seed, round_, owner_.user);
  std::size_t at = 0;
  for (const ItemIndex item : owner_.histories.of(owner_.user)) {
    while (by_rows && at < contribution.size() && contribution.row(at) < item.value + first_row) ++at;
    const bool sent = by_rows ? at < contribution.size() && contribution.row(at) == item.value + first_row
                              : gate.allows(Evidence::positive, item.value);
    if (sent) names.emplace_back(owner_.items.name(item.value));
  }
  return names;
}

Status LedgerRecorder::accept(UserIndex user, Contribution& contribution) {
  if (user == owner_.user) {
    LedgerEntry entry{.round = round_, .task = to_string(owner_.model), .mechanism = mechanism_.name};
    if (mechanism_.epsilon) entry.epsilon = mechanism_.epsilon();
    if (mechanism_.keeps_size)
      entry.bytes = encoded_contribution_bytes(1, contribution.size(), contribution.width());
    entry.items = items_in(contribution);
    SOTTO_TRY_DONE(vault_->append(entry));
  }
  return next_.accept(user, contribution);
}

}  // namespace sotto
