#include "engine/train/released_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/examples/dealt_examples.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/prepare.h"
#include "engine/train/released_rows.h"
#include "engine/train/session.h"
#include "fed/models/task_model.h"
#include "fed/wire/published_model.h"

namespace sotto::engine {

namespace {

// The field of a plan that a task's option is: by its flag, or else by its key.
const Field* field_of(const ModelEntry& entry, const std::string& key) {
  std::string flag = "--" + key;
  std::ranges::replace(flag, '_', '-');
  if (const Field* found = entry.flag(flag)) return found;
  const auto of_model = [&](const Field& field) { return !field.common && field.key() == key; };
  const auto found = std::ranges::find_if(entry.fields, of_model);
  return found == entry.fields.end() ? nullptr : &*found;
}

PlanValue value_of(const v1::TaskOption& option, const Field& field) {
  if (option.value_case() == v1::TaskOption::kReal) return {{PlanScalar(option.real())}};
  if (option.value_case() == v1::TaskOption::kWhole) return {{PlanScalar(std::int64_t{option.whole()})}};
  if (field.kind == WordKind::truth) return {{PlanScalar(option.word() == "yes")}};
  if (field.kind != WordKind::whole) return {{PlanScalar(option.word())}};
  PlanValue list{{}, true};
  std::istringstream words(option.word());
  for (std::string word; std::getline(words, word, ',');)
    list.parts.emplace_back(std::int64_t{std::stoll(word)});
  return list;
}

// Of what a round sums pairs, which decides its sum and not how a version answers.
bool is_of_sum(const std::string& key) { return key == "pair_items" || key == "pair_bytes"; }

// What decides how a version answers is an option of both. What only rounds know (how long a divergence
// rises), and what a catalogue counts, is none of a plan's.
Status take_options(const v1::TaskSpec& spec, const ModelEntry& entry, TrainRequest& request) {
  for (const v1::TaskOption& option : spec.options()) {
    if (is_of_sum(option.key())) continue;
    const Field* field = field_of(entry, option.key());
    const bool is_left_open = option.key() == "triples" && option.whole() == 0;
    if (field != nullptr && !is_left_open) SOTTO_TRY_DONE(field->set(request, value_of(option, *field)));
  }
  return Done{};
}

// What the task learned from, data must have too.
Status check_contexts(const ReleasedVersion& version, const DataRequest& data) {
  if (version.known.contexts == nullptr || data.contexts.asked()) return Done{};
  const ContextSchema& schema = version.known.schema;
  std::string of;
  for (const auto& [name, has] : {std::pair("interval", schema.interval),
                                  {"daypart", schema.daypart},
                                  {"columns", schema.columns},
                                  {"item", schema.item},
                                  {"person", schema.person}})
    if (has) of += fmt::format(" {}", name);
  if (schema.person) of += ", and --people FILE";
  if (of.empty()) return Done{};
  return fail(Code::usage,
              fmt::format("task '{}' learns from contexts: add --contexts{}", version.spec.name(), of));
}

Result<TrainRequest> request_of(const ReleasedVersion& version, const Task& task, const DataRequest& data) {
  SOTTO_TRY(const ModelEntry* entry, find_model(task.model->name));
  TrainRequest request;
  request.model = ChosenModel(*entry);
  if (entry->of_task) entry->of_task(task, request);
  SOTTO_TRY_DONE(take_options(version.spec, *entry, request));
  SOTTO_TRY_DONE(check_contexts(version, data));
  request.data = data;
  if (const auto& scale = version.known.scale; scale && entry->needs_ratings && data.rating_scale.empty())
    request.data.rating_scale = fmt::format("{}:{}", scale->lowest, scale->highest);
  request.plan.seed = task.plan.seed;
  if (!entry->needs_examples) request.plan.fixed = task.plan.fixed;  // classifiers' are their own
  SOTTO_TRY_DONE(settle(request));
  return request;
}

// Rows at the places that their items have in the data, and what is private of the data's people; `about` is
// told how many items were found.
Result<Parameters> parameters_of(ReleasedVersion version, const Task& task, const TrainRequest& request,
                                 const Split& split, Executor& executor, nlohmann::json& about) {
  if (version.known.names.size() == 0)
    for (std::size_t item = 0; item < task.items; ++item) version.known.names.intern(std::to_string(item));
  const RowMatrix held = as_published(version.rows, task.down);
  const ReleasedRows released{task, held, version.known, items_at(version.known, split)};
  const auto is_known = [](std::uint32_t at) { return at != no_row; };
  const auto known = std::ranges::count_if(released.item_at, is_known);
  if (known == 0)
    return fail(Code::usage, fmt::format("none of the {} items of the data is in the catalogue of task "
                                         "'{}': give data with the same ids",
                                         split.catalogue, task.name));
  about["items"] = task.items;
  about["items_in_data"] = known;
  if (request.model->of_rows) return request.model->of_rows(released, request, split, executor);
  return items_and_people(released, request, split, executor);
}

// A classifier's numbers, for examples of the task's form.
Result<Parameters> network_of(const ReleasedVersion& version, const Task& task, const Split& split) {
  const Examples& examples = *split.examples->examples;
  const ExampleForm form = task.model->examples(task);
  if (examples.height != form.height || examples.width != form.width || examples.classes != task.items)
    return fail(
        Code::usage,
        fmt::format("task '{}' tells {} classes of examples of {} × {} bytes, and the data have {} of "
                    "{} × {}: give data of the same kind",
                    task.name, task.items, form.height, form.width, examples.classes, examples.height,
                    examples.width));
  Parameters network;
  network.items = as_published(version.rows, task.down);
  return network;
}

}  // namespace

Result<nlohmann::json> write_released_run(const RunDir& dir, ReleasedVersion version, const DataRequest& data,
                                          Executor& executor) {
  SOTTO_TRY_DONE(dir.check_free());
  SOTTO_TRY(const Task task, read_task(version.spec));
  const bool classifies = task.model->examples != nullptr;
  nlohmann::json about{{"task", task.name}, {"version", version.number}, {"model_hash", version.model_hash}};
  SOTTO_TRY(const TrainRequest request, request_of(version, task, data));
  SOTTO_TRY(const Prepared prepared, prepare(request.data));
  const Split& split = prepared.split;
  Session session;
  Trained& trained = session.trained;
  trained.totals.rounds = version.rounds;
  SOTTO_TRY(Parameters parameters,
            classifies ? network_of(version, task, split)
                       : parameters_of(std::move(version), task, request, split, executor, about));
  trained.parameters = std::make_unique<Parameters>(std::move(parameters));
  if (classifies) {
    trained.own = std::make_shared<nlohmann::json>(nlohmann::json{{"classes", task.items}});
  } else {
    SOTTO_TRY(trained.model, view_model(request, split, rows_of(*trained.parameters), executor));
  }
  trained.model_hash = hash_shared(*trained.parameters);
  SOTTO_TRY(session.evaluation, judge(request, split, trained, Part::test, executor));
  nlohmann::json summary = summary_of(request, split, session);
  summary["released"] = std::move(about);
  SOTTO_TRY_DONE(dir.begin(request, split));
  SOTTO_TRY_DONE(
      dir.finish(split, trained, session.evaluation, metrics_of(session.evaluation, Part::test), summary));
  return summary;
}

}  // namespace sotto::engine
