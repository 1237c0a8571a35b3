#include "server/round_sum.h"

#include <algorithm>

#include "base/hash.h"
#include "fed/models/weighed_task.h"

namespace sotto::server {

Result<std::unique_ptr<RoundSum>> RoundSum::make(const TaskConfig& config, const Task& task,
                                                 const std::string& budget) {
  std::optional<PrivacyBudget> own;
  double noise = 0.0;
  if (config.dp) {
    SOTTO_TRY(noise, noise_of(config));
    const PrivacyGoal goal{config.dp->epsilon, config.dp->delta};
    own.emplace(goal);
    if (!budget.empty()) {
      SOTTO_TRY(own, read_budget(budget, "the budget of task '" + task.name + "'"));
      if (own->goal().epsilon != goal.epsilon || own->goal().delta != goal.delta)
        return fail(Code::incompatible, "task '" + task.name +
                                            "' has a privacy budget with another ε or δ: a budget never "
                                            "changes; give the task a new name");
    }
  } else if (!budget.empty()) {
    return fail(Code::incompatible,
                "task '" + task.name + "' was trained with noise: go on with it, or give it a new name");
  }
  return std::unique_ptr<RoundSum>(new RoundSum(task, std::move(own), noise));
}

RoundSum::RoundSum(const Task& task, std::optional<PrivacyBudget> budget, double noise)
    : task_(task), model_(server_of(task)), budget_(std::move(budget)), noise_multiplier_(noise) {
  const TaskShape whole = task.shape();
  for (const TaskShape& part : whole.before)
    parts_.push_back(std::make_unique<Part>(SumShape{part.sum_rows, part.sum_width}));
  parts_.push_back(std::make_unique<Part>(SumShape{whole.sum_rows, whole.sum_width}));
}

BudgetCharge RoundSum::one_release() const {
  BudgetCharge charge;
  charge.what = "a round of training";
  charge.releases = {.noise = noise_multiplier_, .sampling = 1.0, .times = 1};
  return charge;
}

Status RoundSum::can_pay() const {
  if (!budget_) return Done{};
  PrivacyBudget trial = *budget_;
  return trial.charge(one_release());
}

Status RoundSum::charge() {
  pending_ = budget_;
  SOTTO_TRY_DONE(pending_->charge(one_release()));
  charged_ = true;
  return Done{};
}

void RoundSum::keep() {
  if (charged_) budget_ = pending_;
  charged_ = false;
}

Status RoundSum::begin(std::uint32_t round, const RowMatrix& master) {
  noise_.reset();
  task_.totals.clear();
  part_model_.reset();
  round_ = round;
  if (budget_) {
    const double scale = double{task_.plan.fixed.scale()};
    DpSumPlan plan = dp_sum_plan({task_.clip.whole / scale, noise_multiplier_, scale});
    plan.clip.row = task_.clip.row;
    plan.seed = task_.plan.seed;
    // Where people take part, nobody can make the noise again.
    plan.release = "a round of training";
    if (!task_.reproducible) plan.release = std::move(Hasher().bytes(system_key())).hex();
    noise_.emplace(
        part().shape, plan, [this](std::uint32_t) { return charge(); }, sum());
  }
  return open().begin({.round = round, .cohort = {}, .shared = &master});
}

Result<Traffic> RoundSum::finish_part(const SumTotal* total, Aggregator& sum) {
  if (total != nullptr) part().secure.give(*total);
  return open().finish(sum);
}

Result<PartTotal> RoundSum::close_part(const SumTotal* total) {
  const SumShape shape = part().shape;
  Aggregator sum_of_part(part().total_space);
  SOTTO_TRY(const Traffic traffic, finish_part(total, sum_of_part));
  std::vector<std::int64_t> numbers(shape.rows * shape.width, 0);
  std::move(sum_of_part).release([&](std::uint32_t row, const auto* values) {
    std::copy_n(values, shape.width, numbers.data() + std::size_t{row} * shape.width);
  });
  SOTTO_TRY(PartTotal told,
            told_of(task_.part(), static_cast<std::uint32_t>(traffic.devices), std::move(numbers)));
  task_.totals.push_back(told);
  SOTTO_TRY_DONE(check_heard(task_));
  part_model_ = server_of(task_);
  SOTTO_TRY_DONE(open().begin({.round = round_, .cohort = {}, .shared = nullptr}));
  return told;
}

Result<RoundRelease> RoundSum::finish(std::uint32_t releases, const ServerState& state,
                                      const SumTotal* total) {
  Aggregator sum_of_round(part().total_space);
  SOTTO_TRY(const Traffic traffic, finish_part(total, sum_of_round));
  RoundRelease release{{}, traffic.devices, {}};
  SOTTO_TRY(release.state, check().release(releases, state, std::move(sum_of_round)));
  release.budget = charged();
  return release;
}

std::optional<double> RoundSum::spent() const {
  if (!budget_) return std::nullopt;
  return budget_->spent();
}

std::string RoundSum::budget() const { return budget_ ? budget_text(*budget_) : std::string(); }

}  // namespace sotto::server
