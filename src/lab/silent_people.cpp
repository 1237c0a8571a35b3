#include "lab/silent_people.h"

#include <algorithm>

#include "lab/people.h"

namespace sotto {

namespace {

bool has_rows_of_people(ModelKind model) {
  return model == ModelKind::fpl || model == ModelKind::fcf || model == ModelKind::fedals;
}

bool learns_alone(const ConsentTerms& terms) { return !terms.takes_part && terms.contexts.history > 0.0f; }

}  // namespace

Status fold_in_silent(const TrainRequest& request, const Split& split, const FoldInOptions& options,
                      Parameters& learned, Executor& executor) {
  if (!has_rows_of_people(request.model)) return Done{};
  SOTTO_TRY(const TrainRequest asked, with_people(request, split));
  const ConsentBook* people = asked.plan.consent.people.get();
  if (people == nullptr || std::ranges::none_of(people->kinds(), learns_alone)) return Done{};
  RowMatrix& rows = learned.users.on_device();
  const MfRecommender model(&rows, &learned.items, options);
  const std::size_t shards = executor.threads();
  executor.run(shards, [&](std::size_t shard) {
    for (std::size_t user = shard; user < rows.rows(); user += shards) {
      const UserIndex who{static_cast<std::uint32_t>(user)};
      const auto history = split.train.of(who);
      if (history.empty() || !learns_alone(people->of(who))) continue;
      const RowMatrix own = model.fold_in(history);
      std::copy_n(own.row(0), rows.stride(), rows.row(user));
    }
  });
  return Done{};
}

}  // namespace sotto
