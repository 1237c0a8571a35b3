#include "engine/protect/lambda_choice.h"

#include <algorithm>

#include "engine/protect/training_consent.h"
#include "fed/messages.h"
#include "sim/candidate_votes.h"

namespace sotto::engine {

namespace {

constexpr std::uint32_t choice_round = 2;  // after popularity and pairs

// Each person's items of both parts, ascending; those of the second count as the newest. What a model does
// not know is left out.
Histories joined(const Histories& train, const Histories& newer, std::size_t catalogue) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  std::vector<std::uint16_t> ages;
  for (std::uint32_t n = 0; n < train.users(); ++n) {
    const UserIndex user{n};
    const auto old = train.of(user), added = newer.of(user);
    const auto old_ages = train.ages_of(user);
    const ItemIndex end{static_cast<std::uint32_t>(catalogue)};
    const auto known = added.first(
        static_cast<std::size_t>(std::lower_bound(added.begin(), added.end(), end) - added.begin()));
    std::size_t place = 0;
    for (const ItemIndex item : old) {
      for (; place < known.size() && known[place] < item; ++place) items.push_back(known[place]);
      items.push_back(item);
    }
    items.insert(items.end(), known.begin() + static_cast<std::ptrdiff_t>(place), known.end());
    offsets.push_back(items.size());
    if (!train.has_ages()) continue;
    std::size_t at = 0;
    for (std::size_t k = offsets[n]; k < items.size(); ++k) {
      const bool is_old = at < old.size() && old[at] == items[k];
      const std::size_t age = is_old ? old_ages[at++] + known.size() : 0;
      ages.push_back(static_cast<std::uint16_t>(std::min<std::size_t>(age, Histories::most_age)));
    }
  }
  return {std::move(offsets), std::move(items), std::move(ages)};
}

}  // namespace

Status check_candidates(const TrainRequest& request, const Split& split) {
  if (!request.dp.chooses() || split.validation.interactions() > 0) return Done{};
  return fail(Code::bad_input,
              "dp-lambdas are judged on people's validation parts, and the split has none: make it with "
              "--validation 0.2");
}

Status check_judged(const TrainRequest& request, Part part) {
  if (!request.dp.chooses() || part == Part::test) return Done{};
  return fail(Code::usage,
              "lambda is chosen on the validation part, so that part cannot judge the model: judge it on the "
              "test part, or give one --lambda");
}

Histories whole_histories(const Split& split) {
  return joined(split.train, split.validation, split.catalogue);
}

Result<LambdaChoice> choose_lambda(const TrainRequest& asked, const Split& split, const ItemGram& released,
                                   EaseOptions options, const std::shared_ptr<DpAccount>& account,
                                   Executor& executor) {
  CandidateVotes votes(split, asked.plan);
  // A λ that has no solution is no candidate: whether it has follows from what was released.
  TrainRequest request = asked;
  request.dp.lambdas.clear();
  for (const float lambda : asked.dp.lambdas) {
    options.lambda = lambda;
    const auto candidate = Ease::solve(released, split.catalogue, votes.train(), options, executor);
    if (!candidate.ok()) continue;
    SOTTO_TRY_DONE(votes.judge(**candidate, executor));
    request.dp.lambdas.push_back(lambda);
  }
  if (request.dp.lambdas.size() < 2)
    return LambdaChoice{request.dp.lambdas.empty() ? asked.dp.lambdas.back() : request.dp.lambdas.front(),
                        {}};
  const std::size_t candidates = request.dp.lambdas.size();
  const SumShape shape{rows_for(candidates), numbers_a_row};
  Protection protection;
  protection.put_before(server_side(request, shape, executor));
  SOTTO_TRY_DONE(put_choice_before(protection, request, account));
  Histories spoken_of;
  if (!request.consent.device.empty()) spoken_of = joined(votes.train(), votes.judged(), split.catalogue);
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection, &spoken_of));
  SOTTO_TRY(const CollectedNumbers chosen, votes.collect(choice_round, *protection.first()));
  const auto place = std::find(chosen.sums.begin(), chosen.sums.end(), 1) - chosen.sums.begin();
  LambdaChoice out{request.dp.lambdas.at(static_cast<std::size_t>(place)), chosen.report,
                   request.dp.choice_cost()};
  // Who judges gets every candidate.
  const std::size_t size = released.items.size();
  out.report.bytes_down += encoded_model_bytes(size, size) * candidates * chosen.report.exchanges;
  return out;
}

}  // namespace sotto::engine
