#include "sim/pair_round.h"

#include <algorithm>
#include <optional>

#include "fed/item_set_message.h"
#include "privacy/pair_contribution.h"
#include "privacy/weighted_pairs.h"

namespace sotto::sim {

namespace {

// Where a triangle is large, more aggregators than this cost more to merge than they save.
constexpr std::size_t most_shards = 8;

struct Shard {
  PairAggregator sum;
  std::uint64_t bytes_up = 0;
  std::optional<Error> error;
};

Status give(const ItemSet& set, Path path, Shard& shard) {
  if (path == Path::fast) {
    shard.bytes_up += encoded_item_set_bytes(set);
    return shard.sum.accept(set);
  }
  const Bytes bytes = encode(ItemSetMessage{.round = 0, .set = set});
  shard.bytes_up += bytes.size();
  SOTTO_TRY(const ItemSetMessage received, decode<ItemSetMessage>(bytes));
  return shard.sum.accept(received.set);
}

void give_for_pairs(const ItemSet& set, PersonWeight weight, const PairLayout& layout, Multiplied by,
                    Contribution& out) {
  if (by == Multiplied::on_devices) return give_pairs(set, weight, layout, out);
  give_items(set, static_cast<std::int32_t>(weight.of(set.items().size())), out);
}

}  // namespace

Result<PairRound> gather_pairs(const Histories& histories, std::size_t catalogue, const Plan& plan,
                               PersonWeight weight, Executor& executor, Path path) {
  SOTTO_TRY_DONE(check(plan.consent));
  const Histories usable = shareable(plan.consent, histories);
  const std::size_t users = histories.users();
  const std::size_t count = std::clamp<std::size_t>(executor.threads(), 1, most_shards);
  std::vector<Shard> shards;
  for (std::size_t n = 0; n < count; ++n)
    shards.push_back({PairAggregator(catalogue, weight, PairAggregator::form_for(catalogue)), 0, {}});
  executor.run(count, [&](std::size_t n) {
    for (std::size_t user = users * n / count; user < users * (n + 1) / count && !shards[n].error; ++user) {
      const UserIndex device{static_cast<std::uint32_t>(user)};
      if (!takes_part(plan.consent, device)) continue;
      const ConsentGate gate(plan.consent, plan.seed, 0, device);
      const Status given = give(ItemSet::consented(usable.of(device), gate), path, shards[n]);
      if (!given.ok()) shards[n].error = given.error();
    }
  });
  RoundReport report;
  report.rounds = 1;
  for (Shard& shard : shards) {
    if (shard.error) return *shard.error;
    report.exchanges += shard.sum.contributions();
    report.bytes_up += shard.bytes_up;
    if (&shard != &shards.front()) shards.front().sum.merge(std::move(shard.sum));
  }
  return PairRound{std::move(shards.front().sum).release(), report};
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
