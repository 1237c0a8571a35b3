#include "engine/protect/ledger_recorder.h"

#include <algorithm>
#include <set>

#include "data/membership.h"
#include "data/pair_sampler.h"
#include "engine/plan/model_entry.h"
#include "fed/messages.h"

namespace sotto::engine {

LedgerRecorder::LedgerRecorder(LedgerOwner owner, Mechanism mechanism, std::unique_ptr<Vault> vault,
                               Collector& next)
    : owner_(std::move(owner)), mechanism_(std::move(mechanism)), vault_(std::move(vault)), next_(next) {}

Status LedgerRecorder::begin(const RoundPlace& place) {
  round_ = place.round;
  return next_.begin(place);
}

std::vector<std::string> LedgerRecorder::items_in_pairs() const {
  const auto own = owner_.histories.of(owner_.user);
  if (own.empty() || own.size() >= owner_.catalogue) return {};
  const Histories alone({0, own.size()}, {own.begin(), own.end()});
  const Membership consumed(alone, owner_.catalogue);
  const PairSampler sampler(alone, consumed, owner_.catalogue, owner_.plan.seed, owner_.user);
  ConsentGate gate(owner_.plan.consent, owner_.plan.seed, round_, owner_.user);
  const std::uint32_t pairs = owner_.plan.triples.value_or(static_cast<std::uint32_t>(own.size()));
  std::set<ItemIndex> spoke;
  for (std::uint32_t t = 0; t < pairs; ++t) {
    const ItemIndex item = sampler.draw(round_, owner_.user, t).positive;
    if (gate.allows(Evidence::positive, item.value)) spoke.insert(item);
  }
  std::vector<std::string> names;
  for (const ItemIndex item : spoke) names.emplace_back(owner_.items.name(item.value));
  return names;
}

std::vector<std::string> LedgerRecorder::items_in(const Contribution& contribution) const {
  const ModelEntry& model = *owner_.model;
  if (model.names_drawn_items)
    return contribution.size() == 0 ? std::vector<std::string>() : items_in_pairs();
  std::vector<std::string> names;
  // Where a row is an item's, what was sent is in the rows; answers about everything, or about pairs, hold
  // what the gate let out, asked in the order of the history.
  const bool by_rows = model.first_item_row.has_value();
  const std::uint32_t first_row = model.first_item_row.value_or(0);
  // Sums of pairs and of numbers have the answers of the first round in all (sim/number_round.h).
  const std::uint32_t asked = model.in_steps() ? round_ : 0;
  ConsentGate gate(owner_.plan.consent, owner_.plan.seed, asked, owner_.user);
  std::size_t at = 0;
  for (const ItemIndex item : owner_.histories.of(owner_.user)) {
    while (by_rows && at < contribution.size() && contribution.row(at) < item.value + first_row) ++at;
    const bool sent = by_rows ? at < contribution.size() && contribution.row(at) == item.value + first_row
                              : owner_.let_out || gate.allows(Evidence::positive, item.value);
    if (sent) names.emplace_back(owner_.items.name(item.value));
  }
  return names;
}

Status LedgerRecorder::accept(UserIndex user, Contribution& contribution) {
  if (user == owner_.user) {
    LedgerEntry entry{.round = round_, .task = owner_.model->name, .mechanism = mechanism_.name};
    if (mechanism_.epsilon) entry.epsilon = mechanism_.epsilon();
    if (mechanism_.keeps_size)
      entry.bytes = encoded_contribution_bytes(1, contribution.size(), contribution.width());
    entry.items = items_in(contribution);
    SOTTO_TRY_DONE(vault_->append(entry));
  }
  return next_.accept(user, contribution);
}

}  // namespace sotto::engine
