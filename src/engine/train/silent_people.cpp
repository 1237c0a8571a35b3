#include "engine/train/silent_people.h"

#include <algorithm>
#include <utility>

#include "engine/plan/model_entry.h"
#include "engine/protect/training_consent.h"
#include "fed/wire/published_model.h"

namespace sotto::engine {

namespace {

bool learns_alone(const ConsentTerms& terms) { return !terms.takes_part && terms.contexts.history > 0.0f; }

// What their own rules and share of the history leave, as if they took part.
Histories usable(const ConsentBook& people, const Split& split, std::uint64_t seed) {
  std::vector<ConsentTerms> kinds(people.kinds().begin(), people.kinds().end());
  for (ConsentTerms& terms : kinds) terms.takes_part = learns_alone(terms);
  std::vector<std::uint16_t> kind_of(split.users.size());
  for (std::uint32_t user = 0; user < kind_of.size(); ++user) kind_of[user] = people.kind_of(UserIndex{user});
  return ConsentBook(std::move(kinds), std::move(kind_of), seed).shareable(split.train);
}

}  // namespace

Status fold_in_silent(const TrainRequest& request, const Split& split, Parameters& learned,
                      Executor& executor) {
  if (!request.model->has_user_rows) return Done{};
  SOTTO_TRY(const TrainRequest asked, with_people(request, split));
  const ConsentBook* people = asked.plan.consent.people.get();
  if (people == nullptr || std::ranges::none_of(people->kinds(), learns_alone)) return Done{};
  RowMatrix& rows = learned.users.on_device();
  const Histories histories = usable(*people, split, request.plan.seed);
  // They learn from the rows that devices receive.
  const bool whole = request.plan.down == ModelPrecision::f32;
  const RowMatrix received =
      whole ? RowMatrix() : as_published(learned.items, wire_precision(request.plan.down));
  const MfRecommender model(&rows, whole ? &learned.items : &received, fold_in_options(request));
  const std::size_t shards = executor.threads();
  executor.run(shards, [&](std::size_t shard) {
    for (std::size_t user = shard; user < rows.rows(); user += shards) {
      const UserIndex who{static_cast<std::uint32_t>(user)};
      const auto history = histories.of(who);
      if (history.empty()) continue;
      const RowMatrix own = model.fold_in(history);
      std::copy_n(own.row(0), rows.stride(), rows.row(user));
    }
  });
  return Done{};
}

}  // namespace sotto::engine
