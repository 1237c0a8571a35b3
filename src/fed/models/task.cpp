#include "fed/models/task.h"

#include <fmt/core.h>

#include "fed/models/live_evaluation.h"
#include "fed/models/task_models.h"
#include "fed/models/weighed_task.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t most_items = 1u << 26;
constexpr std::size_t most_name = 64;
constexpr std::size_t most_sum_numbers = std::size_t{1} << 28;  // 1 GiB

Error refuse_task(const std::string& why) { return fail(Code::bad_input, "task refused: " + why); }

ClipLimits clip_of(const v1::TaskSpec& spec, FixedPoint fixed) {
  ClipLimits clip;
  const double scale = static_cast<double>(fixed.scale());
  if (spec.clip() > 0.0) clip.whole = spec.clip() * scale;
  if (spec.row_clip() > 0.0) clip.row = spec.row_clip() * scale;
  return clip;
}

Status check_bits(const v1::TaskSpec& spec, const TaskModel& model) {
  const auto most = static_cast<std::uint32_t>(model.most_bits);
  if (spec.fixed_bits() >= least_update_bits && spec.fixed_bits() <= most) return Done{};
  return refuse_task(
      fmt::format("fixed_bits is {}, and what devices of {} send has from {} to {} bits after "
                  "the point",
                  spec.fixed_bits(), model.name, least_update_bits, most));
}

}  // namespace

bool is_plain_name(const std::string& name) {
  if (name.empty() || name.size() > most_name) return false;
  for (const char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_') return false;
  return true;
}

TaskShape Task::shape() const {
  if (other_sum) return *other_sum;
  return criteria ? weighed_shape(*this) : model->shape(*this);
}

TaskShape Task::part() const {
  TaskShape whole = shape();
  return totals.size() < whole.before.size() ? whole.before[totals.size()] : whole;
}

Bytes32 digest_of_task(const v1::TaskSpec& spec) {
  const std::string bytes = spec.SerializeAsString();
  return digest_of("sotto task", {{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}});
}

Result<Task> read_task(const v1::TaskSpec& spec) {
  if (!is_plain_name(spec.name()))
    return refuse_task(fmt::format("a name has 1 to {} small letters, digits, - or _", most_name));
  Task task;
  const auto model = find_task_model(spec.model());
  if (!model.ok()) return chained(model.error(), "task refused");
  task.model = *model;
  if (spec.items() < 2 || spec.items() > most_items)
    return refuse_task(fmt::format("a catalogue has 2 to {} items", most_items));
  if (!v1::Precision_IsValid(spec.down())) return refuse_task("it sends its model in a form unknown here");
  if (!v1::Sum_IsValid(spec.sum())) return refuse_task("it sums in a way unknown here");
  if (!(spec.clip() >= 0.0) || !(spec.row_clip() >= 0.0)) return refuse_task("a clip is not negative");

  task.name = spec.name();
  task.said = digest_of_task(spec);
  task.items = spec.items();
  task.reproducible = spec.reproducible();
  task.down = spec.down();
  task.secure = spec.sum() == v1::SUM_SECURE;
  task.plan.seed = spec.seed();
  SOTTO_TRY_DONE(check_bits(spec, *task.model));
  task.plan.fixed.bits = static_cast<int>(spec.fixed_bits());
  if (const Status read = task.model->read(spec, task); !read.ok())
    return chained(read.error(), "task refused");
  Plan plan = task.plan;
  plan.fixed = {};  // those of a model may be more
  if (auto checked = check(plan); !checked.ok()) return chained(checked.error(), "task refused");
  if (const Status read = read_criteria(spec, task); !read.ok()) return chained(read.error(), "task refused");
  if (const std::size_t numbers = task.shape().sum_numbers(); numbers > most_sum_numbers)
    return refuse_task(
        fmt::format("its sums would have {} numbers, and have at most {}: lower factors, or "
                    "take fewer items",
                    numbers, most_sum_numbers));
  if (task.parts() > most_parts)
    return refuse_task(fmt::format("its rounds have {} parts, and may have {}", task.parts(), most_parts));
  for (const TaskShape& part : task.shape().before)
    if (part.sum_numbers() > most_total_numbers)
      return refuse_task(
          fmt::format("a part of its rounds would be told in {} numbers, and is in at most {}: "
                      "take fewer items",
                      part.sum_numbers(), most_total_numbers));
  auto evaluation = read_terms(spec, *task.model);
  if (!evaluation.ok()) return chained(evaluation.error(), "task refused");
  task.evaluation = *evaluation;
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

bool is_grown(v1::TaskSpec before, v1::TaskSpec after) {
  if (after.items() <= before.items() || after.has_catalogue() != before.has_catalogue()) return false;
  for (v1::TaskSpec* spec : {&before, &after}) {
    spec->clear_items();
    spec->clear_catalogue();
  }
  return before.SerializeAsString() == after.SerializeAsString();
}

}  // namespace sotto::fed
