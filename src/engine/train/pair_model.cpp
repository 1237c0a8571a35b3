#include "engine/train/pair_model.h"

#include <algorithm>
#include <limits>

#include "engine/plan/model_entry.h"
#include "engine/protect/protection.h"
#include "engine/protect/training_consent.h"
#include "fed/secure/pair_cost.h"
#include "fed/secure/product_collector.h"
#include "privacy/pair_contribution.h"
#include "sim/private_gram.h"

namespace sotto::engine {

namespace {

bool multiplies(const TrainRequest& request) { return request.sum.kind == SumKind::products; }

Multiplied multiplied(const TrainRequest& request) {
  return multiplies(request) ? Multiplied::by_aggregators : Multiplied::on_devices;
}

// What stands before the sum of pairs of so many items.
Result<Protection> pair_protection(const TrainRequest& request, const Split& split, std::size_t items,
                                   Executor& executor) {
  const SumShape shape{PairLayout(items).rows(), PairLayout::width};
  Protection protection;
  if (multiplies(request)) {
    protection.put_before(std::make_unique<ProductCollector>(
        request.sum, items, request.model->pairs->weight(request), request.plan.seed, executor));
    protection.call({.name = mechanism_name(request), .keeps_size = false});
  } else {
    SOTTO_TRY(protection, protect(request, shape, executor));
  }
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection));
  return protection;
}

Status check_cost(const TrainRequest& request, const Split& split) {
  if (request.sum.kind == SumKind::plain) return Done{};
  const std::size_t devices = taking_part(request.plan.consent, split.train.users()).size();
  const std::size_t groups = request.robust.groups.value_or(1);
  const PairSumPlan plan{request.sum, (devices + groups - 1) / groups, split.catalogue,
                         request.model->pairs->weight(request)};
  const std::size_t items = request.pairs.items.value_or(std::numeric_limits<std::uint32_t>::max());
  return check_pair_bytes(plan, std::min(items, split.catalogue), request.pairs.bytes);
}

// Two sums: how many people have each item, then the pairs of the most popular ones.
Result<PairRound> gather_popular_pairs(const TrainRequest& request, const Split& split, PersonWeight weight,
                                       Executor& executor) {
  TrainRequest people_asked = request;
  if (request.sum.kind != SumKind::plain) people_asked.sum = sum_of_people(request.sum);
  const SumShape shape{rows_for(split.catalogue), numbers_a_row};
  SOTTO_TRY(Protection first, protect(people_asked, shape, executor));
  SOTTO_TRY_DONE(watch_device(people_asked, split, shape, first));
  SOTTO_TRY(const CollectedNumbers people,
            collect_popularity(split.train, split.catalogue, request.plan, *first.first(), 1));
  const KeptItems kept = KeptItems::most_popular(people.sums, *request.pairs.items);
  SOTTO_TRY(const Protection second, pair_protection(request, split, kept.items().size(), executor));
  SOTTO_TRY(CollectedNumbers numbers, collect_kept_pairs(split.train, kept, request.plan, weight,
                                                         *second.first(), multiplied(request)));
  RoundReport report = numbers.report;
  report.rounds += people.report.rounds;
  report.bytes_up += people.report.bytes_up;
  SOTTO_TRY(const PairSum sum,
            counted_pairs(PairLayout(kept.items().size()), std::move(numbers.sums), weight));
  return PairRound{sum.renumbered(kept.items(), split.catalogue), report};
}

}  // namespace

Status check_pairs(const TrainRequest& request) {
  if (!request.pairs.items) return Done{};
  if (*request.pairs.items == 0)
    return fail(Code::usage, "--pair-items must be a number from 1 up: of how many items pairs are summed");
  if (request.dp.asked())
    return fail(Code::usage,
                "under noise --dp-items says how many items pairs are released of: leave "
                "--pair-items out");
  if (request.sum.kind != SumKind::plain || request.robust.asked()) return Done{};
  return fail(Code::usage,
              "--pair-items bounds what a protected sum takes a device, and in the open a device sends its "
              "items alone: add --sum secure, or leave it out");
}

Result<PairRound> gather_item_pairs(const TrainRequest& asked, const Split& split, Executor& executor) {
  const PersonWeight weight = asked.model->pairs->weight(asked);
  TrainRequest request = asked;
  if (request.sum.kind != SumKind::plain) request.sum = sum_of_pairs(request.sum, weight);
  SOTTO_TRY_DONE(check_cost(request, split));
  if (request.pairs.items && *request.pairs.items < split.catalogue)
    return gather_popular_pairs(request, split, weight, executor);
  SOTTO_TRY(const Protection protection, pair_protection(request, split, split.catalogue, executor));
  Collector* collector = protection.first();
  if (collector == nullptr)
    return gather_pairs(split.train, split.catalogue, request.plan, weight, executor,
                        request.wire ? Path::wire : Path::fast);
  SOTTO_TRY(CollectedNumbers numbers, collect_pairs(split.train, split.catalogue, request.plan, weight,
                                                    *collector, multiplied(request)));
  SOTTO_TRY(PairSum sum, counted_pairs(PairLayout(split.catalogue), std::move(numbers.sums), weight));
  return PairRound{std::move(sum), numbers.report};
}

Result<DirectModel> make_of_pairs(const TrainRequest& request, const Split& split, Executor& executor) {
  SOTTO_TRY(const TrainRequest consented, with_people(request, split));
  SOTTO_TRY(const PairRound round, gather_item_pairs(consented, split, executor));
  return request.model->pairs->solve(round, consented, split, executor);
}

}  // namespace sotto::engine
