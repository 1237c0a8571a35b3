#include "sim/pair_round.h"

#include "fed/item_set_message.h"
#include "privacy/pair_contribution.h"
#include "privacy/weighted_pairs.h"
#include "sim/round_steps.h"

namespace sotto::sim {

namespace {

// Where a triangle is large, more aggregators than this cost more to merge than they save.
constexpr std::size_t most_lanes = 8;

// Sums pairs of item sets.
struct ItemSetSeat {
  using Message = ItemSetMessage;

  ItemSetSeat(std::size_t catalogue_size, PersonWeight person_weight)
      : catalogue(catalogue_size), weight(person_weight) {}
  [[nodiscard]] PairAggregator open() const {
    return {catalogue, weight, PairAggregator::form_for(catalogue)};
  }
  static std::uint64_t bytes_of(const PairAggregator& /*sum*/) { return 0; }  // its devices count
  [[nodiscard]] ItemSet& sent(std::size_t /*n*/) { return set; }

  std::size_t catalogue;
  PersonWeight weight;
  ItemSet set;
};

class ItemSetRound final : public RoundDriver<ItemSetRound, ItemSetSeat> {
 public:
  ItemSetRound(const Histories& histories, std::size_t catalogue, const Plan& plan, PersonWeight weight,
               Executor& executor, Path path)
      : RoundDriver(executor, path),
        plan_(plan),
        usable_(shareable(plan.consent, histories)),
        people_(taking_part(plan.consent, histories.users())) {
    open_lanes(most_lanes, 1, catalogue, weight);
  }

  [[nodiscard]] Result<PairRound> play_it() {
    SOTTO_TRY(const RoundReport report, run(1));
    if (!sum_) sum_.emplace(lanes_[0].open().release());  // nobody takes part
    return PairRound{std::move(*sum_), report};
  }

 private:
  friend RoundDriver;

  [[nodiscard]] Users cohort() const { return people_; }
  [[nodiscard]] Status answer(Users users, Lane& lane) const {
    const ConsentGate gate(plan_.consent, plan_.seed, 0, users.front());
    lane.set = ItemSet::consented(usable_.of(users.front()), gate);
    if (path_ == Path::fast) lane.counts.bytes_up += encoded_item_set_bytes(lane.set);
    return Done{};
  }
  [[nodiscard]] Status release(PairAggregator&& total) {
    sum_.emplace(std::move(total).release());
    return Done{};
  }

  const Plan& plan_;
  Histories usable_;
  std::vector<UserIndex> people_;
  std::optional<PairSum> sum_;
};

void give_for_pairs(const ItemSet& set, PersonWeight weight, const PairLayout& layout, Multiplied by,
                    Contribution& out) {
  if (by == Multiplied::on_devices) return give_pairs(set, weight, layout, out);
  give_items(set, static_cast<std::int32_t>(weight.of(set.items().size())), out);
}

}  // namespace

Result<PairRound> gather_pairs(const Histories& histories, std::size_t catalogue, const Plan& plan,
                               PersonWeight weight, Executor& executor, Path path) {
  SOTTO_TRY_DONE(check(plan.consent));
  return ItemSetRound(histories, catalogue, plan, weight, executor, path).play_it();
}

Result<CollectedNumbers> collect_pairs(const Histories& histories, std::size_t catalogue, const Plan& plan,
                                       PersonWeight weight, Collector& collector, Multiplied by) {
  const PairLayout layout(catalogue);
  const auto give = [&](const ItemSet& set, UserIndex, Contribution& out) {
    give_for_pairs(set, weight, layout, by, out);
  };
  return collect_numbers(histories, plan, 0, layout.numbers(), collector, give);
}

Result<CollectedNumbers> collect_kept_pairs(const Histories& histories, const KeptItems& kept,
                                            const Plan& plan, PersonWeight weight, Collector& collector,
                                            Multiplied by) {
  const PairLayout layout(kept.items().size());
  const auto give = [&](const ItemSet& set, UserIndex, Contribution& out) {
    give_for_pairs(set.among(kept), weight, layout, by, out);
  };
  return collect_numbers(histories, plan, 1, layout.numbers(), collector, give);
}

}  // namespace sotto::sim
