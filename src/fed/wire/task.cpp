#include "fed/wire/task.h"

#include <fmt/core.h>

namespace sotto {

namespace {

constexpr std::uint32_t most_items = 1u << 26;
constexpr std::uint32_t most_triples = 1u << 20;
constexpr std::size_t most_sum_numbers = std::size_t{1} << 28;  // 1 GiB of statistics
constexpr std::size_t most_name = 64;

Error refuse_task(const std::string& why) { return fail(Code::bad_input, "task refused: " + why); }

bool is_name(const std::string& name) {
  if (name.empty() || name.size() > most_name) return false;
  for (const char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_') return false;
  return true;
}

ClipLimits clip_of(const v1::TaskSpec& spec, FixedPoint fixed) {
  ClipLimits clip;
  const double scale = static_cast<double>(fixed.scale());
  if (spec.clip() > 0.0) clip.whole = spec.clip() * scale;
  if (spec.row_clip() > 0.0) clip.row = spec.row_clip() * scale;
  return clip;
}

Result<TaskModel> model_of(const std::string& name) {
  for (const TaskModel model : {TaskModel::fpl, TaskModel::fedals})
    if (name == to_string(model)) return model;
  return refuse_task(
      fmt::format("the models that train over a network here are 'fpl' and 'fedals', not {}; "
                  "where a newer version knows it, update this one",
                  is_name(name) ? "'" + name + "'" : "what it names"));
}

Status read_fpl(const v1::TaskSpec& spec, Task& task) {
  if (spec.triples() == 0 || spec.triples() > most_triples)
    return refuse_task(fmt::format("a visit has 1 to {} triples", most_triples));
  task.plan.fpl = {.factors = spec.factors(),
                   .learning_rate = spec.learning_rate(),
                   .user_reg = spec.user_reg(),
                   .positive_reg = spec.positive_reg(),
                   .negative_reg = spec.negative_reg(),
                   .init_sd = spec.init_sd(),
                   .local = spec.batch_steps() ? LocalSteps::batch : LocalSteps::sequential};
  task.plan.triples = spec.triples();
  return Done{};
}

Status read_fedals(const v1::TaskSpec& spec, Task& task) {
  task.als = {.factors = spec.factors(),
              .lambda = spec.lambda(),
              .confidence = spec.confidence(),
              .reg_power = spec.reg_power(),
              .init_sd = spec.init_sd(),
              .seed = spec.seed()};
  if (const Status checked = check_fed_als(task.als); !checked.ok())
    return chained(checked.error(), "task refused");
  if (spec.down() != v1::PRECISION_F32)
    return refuse_task("federated ALS is exact and sends its model in f32: leave down out");
  if (task.shape().sum_numbers() > most_sum_numbers)
    return refuse_task(
        fmt::format("the sums of federated ALS would have {} numbers, and have at most {}: "
                    "lower factors, or take fewer items",
                    task.shape().sum_numbers(), most_sum_numbers));
  return Done{};
}

}  // namespace

const char* to_string(TaskModel model) {
  switch (model) {
    case TaskModel::fpl:
      return "fpl";
    case TaskModel::fedals:
      return "fedals";
  }
  SOTTO_ASSERT(false, "every model has a name");
}

TaskShape Task::shape() const {
  if (model == TaskModel::fedals) {
    const FedAls als_model = fedals();
    // A statistic stands at most once in each row, as it was rounded.
    return {.rows = items,
            .width = als_model.shared_width(),
            .sum_rows = als_model.sum_rows(),
            .sum_width = als_model.sum_width(),
            .most_rows = als_model.sum_rows(),
            .alike = true,
            .limit = step_limit};
  }
  // Each triple touches two rows, and none stands there more often than it was touched.
  const std::size_t width = std::size_t{plan.fpl.factors} + 1;
  return {.rows = items,
          .width = width,
          .sum_rows = items,
          .sum_width = width,
          .most_rows = std::size_t{2} * plan.triples.value_or(0),
          .limit = fixed_limit};
}

Result<Task> read_task(const v1::TaskSpec& spec) {
  if (!is_name(spec.name()))
    return refuse_task(fmt::format("a name has 1 to {} small letters, digits, - or _", most_name));
  Task task;
  SOTTO_TRY(task.model, model_of(spec.model()));
  if (spec.items() < 2 || spec.items() > most_items)
    return refuse_task(fmt::format("a catalogue has 2 to {} items", most_items));
  if (!v1::Precision_IsValid(spec.down())) return refuse_task("it sends its model in a form unknown here");
  if (!v1::Sum_IsValid(spec.sum())) return refuse_task("it sums in a way unknown here");
  if (!(spec.clip() >= 0.0) || !(spec.row_clip() >= 0.0)) return refuse_task("a clip is not negative");

  task.name = spec.name();
  task.items = spec.items();
  task.reproducible = spec.reproducible();
  task.down = spec.down();
  task.secure = spec.sum() == v1::SUM_SECURE;
  task.plan.seed = spec.seed();
  task.plan.fixed.bits = static_cast<int>(spec.fixed_bits());
  SOTTO_TRY_DONE(task.model == TaskModel::fedals ? read_fedals(spec, task) : read_fpl(spec, task));
  if (auto checked = check(task.plan); !checked.ok()) return chained(checked.error(), "task refused");
  task.clip = clip_of(spec, task.plan.fixed);
  SOTTO_TRY_DONE(check(task.clip));
  if (task.secure) {
    task.assumed = {.corrupt = spec.assumed().corrupt(),
                    .dropped = spec.assumed().dropped(),
                    .leak = spec.assumed().leak(),
                    .abort = spec.assumed().abort(),
                    .crowd = spec.assumed().crowd()};
    if (auto checked = check(task.assumed); !checked.ok()) return chained(checked.error(), "task refused");
  }
  return task;
}

}  // namespace sotto
