#include "engine/train/released_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/files/files.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/prepare.h"
#include "engine/train/session.h"
#include "fed/models/task_model.h"
#include "model/mf_recommender.h"

namespace sotto::engine {

namespace {

Result<TrainRequest> request_of(const ReleasedVersion& version, const DataRequest& data) {
  SOTTO_TRY(const ModelEntry* entry, find_model(version.task.model->name));
  if (!entry->of_task)
    return fail(Code::usage, fmt::format("a version of {} is not made a run of yet", entry->name));
  TrainRequest request;
  request.model = ChosenModel(*entry);
  entry->of_task(version.task, request);
  request.data = data;
  request.plan.seed = version.task.plan.seed;
  request.plan.fixed = version.task.plan.fixed;
  SOTTO_TRY_DONE(settle(request));
  return request;
}

// The version's rows at the places of the data's items; `known` counts those that it has.
Result<RowMatrix> rows_for(const ReleasedVersion& version, const Split& split, std::size_t& known) {
  IdTable names;
  for (std::size_t row = 0; row < version.rows.rows(); ++row)
    names.intern(version.names.empty() ? std::to_string(row) : version.names[row]);
  RowMatrix rows(split.catalogue, version.rows.width());
  known = 0;
  for (std::uint32_t item = 0; item < split.catalogue; ++item) {
    const auto row = names.find(split.items.name(item));
    if (!row) continue;
    std::ranges::copy(version.rows.values(*row), rows.row(item));
    ++known;
  }
  if (known > 0) return rows;
  return fail(Code::usage,
              fmt::format("none of the {} items of the data is in the catalogue of task '{}': give "
                          "data with the same ids",
                          split.catalogue, version.task.name));
}

// Everybody's private row, from their training part.
RowMatrix people_of(const TrainRequest& request, const Split& split, const RowMatrix& rows,
                    Executor& executor) {
  RowMatrix people(split.users.size(), rows.width());
  const MfRecommender model(&people, &rows, fold_in_options(request));
  const std::size_t shards = executor.threads();
  executor.run(shards, [&](std::size_t shard) {
    for (std::size_t user = shard; user < people.rows(); user += shards) {
      const auto history = split.train.of(UserIndex{static_cast<std::uint32_t>(user)});
      if (history.empty()) continue;
      const RowMatrix own = model.fold_in(history);
      std::copy_n(own.row(0), people.stride(), people.row(user));
    }
  });
  return people;
}

}  // namespace

Result<nlohmann::json> write_released_run(const RunDir& dir, const ReleasedVersion& version,
                                          const DataRequest& data, Executor& executor) {
  SOTTO_TRY_DONE(dir.check_free());
  SOTTO_TRY(const TrainRequest request, request_of(version, data));
  SOTTO_TRY(const Prepared prepared, prepare(request.data));
  const Split& split = prepared.split;
  std::size_t known = 0;
  Session session;
  Trained& trained = session.trained;
  trained.parameters = std::make_unique<Parameters>();
  SOTTO_TRY(trained.parameters->items, rows_for(version, split, known));
  trained.parameters->users = Private(people_of(request, split, trained.parameters->items, executor));
  SOTTO_TRY(trained.model, view_model(request, split, rows_of(*trained.parameters), executor));
  trained.model_hash = hash_shared(*trained.parameters);
  trained.totals.rounds = version.rounds;
  SOTTO_TRY(session.evaluation, judge(request, split, trained, Part::test, executor));
  nlohmann::json summary = summary_of(request, split, session);
  summary["released"] = {{"task", version.task.name},
                         {"version", version.number},
                         {"model_hash", version.model_hash},
                         {"items", version.rows.rows()},
                         {"items_in_data", known}};
  SOTTO_TRY_DONE(dir.begin(request, split));
  SOTTO_TRY_DONE(
      dir.finish(split, trained, session.evaluation, metrics_of(session.evaluation, Part::test), summary));
  return summary;
}

}  // namespace sotto::engine
