// What a task asks by criteria: the message into the task, and what is refused by name (weighed_task.h).
#include <fmt/core.h>

#include <algorithm>

#include "fed/models/task_models.h"
#include "fed/models/weighed_task.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t fewest_tellers = 3;
// Values have 24 bits: up to here a record more or less is seen.
constexpr std::uint32_t most_size_bound = 1'000'000;
constexpr std::size_t most_order = 256, most_quality = 1024;

Error refuse_criteria(const std::string& why) { return fail(Code::usage, why); }

bool holds(const CriteriaOrder& order, std::string_view name) {
  return std::ranges::any_of(order, [&](Criterion criterion) { return criterion->name == name; });
}

// A stranger's text is read as names, and printed, only where it can be some.
bool is_order(const std::string& text) {
  constexpr std::string_view others = "-> ";
  return text.size() <= most_order && std::ranges::all_of(text, [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || others.find(c) != others.npos;
         });
}

std::string weighable_models() {
  std::string names;
  for (const TaskModel* model : task_models)
    if (model->weighable != Weighable::no) names += (names.empty() ? "" : ", ") + std::string(model->name);
  return names;
}

// What a device knows of itself, and nobody has to say of it.
Status check_on_devices(const CriteriaOrder& order, const TaskModel& model) {
  for (const Criterion criterion : order) {
    const std::string_view name = criterion->name;
    if (name == "novelty")
      return refuse_criteria(
          model.examples != nullptr
              ? "novelty is of things, and labelled examples have none: leave it out"
              : "novelty needs the popularity of each item, which devices are not told: leave it out");
    if (name == "trust")
      return refuse_criteria(
          "trust is what others say of a device, and here it would speak for itself: leave it out");
    if (name == "layer-closeness" && model.layer_ends == nullptr)
      return refuse_criteria("layer-closeness is for networks that classify: take closeness");
    if (criterion->of_update && model.weighable == Weighable::sums)
      return refuse_criteria(
          fmt::format("{} is measured on a device's step of the model, and this model sends "
                      "statistics: leave it out",
                      name));
  }
  return Done{};
}

Status check_facts(const CriteriaOrder& order, const v1::Criteria& asked, const TaskModel& model) {
  if (holds(order, "size") != (asked.size_bound() != 0))
    return refuse_criteria(
        asked.size_bound() == 0
            ? "size is a share of a bound that everybody knows: set size_bound, the records from "
              "which a device counts fully"
            : "size_bound is of the criterion size: name it in criteria, or leave the bound out");
  if (asked.size_bound() > most_size_bound)
    return refuse_criteria(
        fmt::format("size_bound is a number of records from 1 to {}: above that histories of "
                    "different lengths would count the same",
                    most_size_bound));
  if (model.examples != nullptr)
    return asked.quality().empty()
               ? Status(Done{})
               : refuse_criteria(
                     "quality_category is of things: examples are marked one by one where they "
                     "have the quality; leave it out");
  if (holds(order, "quality") == asked.quality().empty())
    return refuse_criteria(
        asked.quality().empty()
            ? "quality is the share of a history in one category: set quality_category"
            : "quality_category is of the criterion quality: name it in criteria, or leave it out");
  if (asked.quality().size() > most_quality)
    return refuse_criteria("quality_category is too long for a category");
  return Done{};
}

}  // namespace

Status read_criteria(const v1::TaskSpec& spec, Task& task) {
  if (!spec.has_criteria()) return Done{};
  const v1::Criteria& asked = spec.criteria();
  if (task.model->weighable == Weighable::no)
    return refuse_criteria(
        fmt::format("criteria weigh what devices add up for {}, not for {}: leave criteria out",
                    weighable_models(), task.model->name));
  if (!is_order(asked.order()))
    return refuse_criteria("criteria are names with > between them, as \"size>diversity\"");
  TaskCriteria criteria;
  SOTTO_TRY(criteria.options.order, parse_order(asked.order()));
  SOTTO_TRY_DONE(check_on_devices(criteria.options.order, *task.model));
  if (!asked.score().empty()) {
    if (!is_plain_name(asked.score())) return refuse_criteria("score is prioritized, mean, owa or choquet");
    SOTTO_TRY(criteria.options.score.kind, parse_score_kind(asked.score()));
  }
  criteria.options.score.weights.assign(asked.weights().begin(), asked.weights().end());
  SOTTO_TRY_DONE(check(criteria.options));
  SOTTO_TRY_DONE(check_facts(criteria.options.order, asked, *task.model));
  criteria.options.least_tellers = asked.least_tellers();
  const std::uint32_t least =
      std::max(fewest_tellers, spec.sum() == v1::SUM_SECURE ? spec.assumed().crowd() : 0u);
  if (asked.least_tellers() < least)
    return refuse_criteria(
        fmt::format("a criterion is told by at least {} people, or left out of the round, and "
                    "these criteria are content with {}: raise crowd",
                    least, asked.least_tellers()));
  criteria.size_bound = asked.size_bound();
  criteria.quality = asked.quality();
  task.criteria = std::move(criteria);
  return Done{};
}

bool has_criterion(const Task& task, std::string_view name) {
  return task.criteria && holds(task.criteria->options.order, name);
}

}  // namespace sotto::fed
