#include "sim/averaging_federation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "sim/round_steps.h"

namespace sotto::sim {

namespace {

std::uint32_t cohort_of(double share, std::size_t able) {
  return static_cast<std::uint32_t>(
      std::clamp<double>(std::round(share * static_cast<double>(able)), 1.0, static_cast<double>(able)));
}

// A count of one in a cohort of so many: a device may weigh as much as all of it, and its count still goes
// into a contribution. A power of two, so that dividing by it changes no digit.
std::int32_t count_units(FixedPoint fixed, std::size_t cohort) {
  auto units = static_cast<std::int32_t>(fixed.scale());
  while (units > 1 && static_cast<std::uint64_t>(units) * cohort > std::uint64_t{fixed_limit}) units /= 2;
  return units;
}

}  // namespace

std::vector<UserIndex> able_devices(const LocalTask& task) {
  std::vector<UserIndex> able;
  for (std::uint32_t device = 0; device < task.devices(); ++device)
    if (task.takes_part(UserIndex{device})) able.push_back(UserIndex{device});
  return able;
}

Status check(const AveragingPlan& plan) {
  if (!(plan.cohort > 0.0 && plan.cohort <= 1.0))
    return fail(
        Code::usage,
        fmt::format("the cohort is a share of the devices, above 0 and at most 1, not {}", plan.cohort));
  if (plan.fixed.bits < 8 || plan.fixed.bits > 28)
    return fail(Code::usage, "averaged models are sent with 8 to 28 bits behind the point");
  SOTTO_TRY_DONE(check(plan.local));
  return check(plan.server);
}

Status check(const AveragingPlan& plan, const LocalTask& task) {
  if (able_devices(task).empty())
    return fail(Code::bad_input, "no device has anything to train on: give them examples");
  return check(plan);
}

AveragingFederation::AveragingFederation(const LocalTask& task, const AveragingPlan& plan, Executor& executor,
                                         Collector& collector)
    : RoundDriver(executor, Path::fast),
      task_(task),
      plan_(plan),
      cohort_(cohort_of(plan.cohort, able_devices(task).size())),
      selector_(able_devices(task), cohort_, plan.seed) {
  open_lanes(cohort_, 1, task.parameters());
  collect_with(collector);
  const std::size_t rows = rows_for(task.parameters());
  state_.shared = RowMatrix(rows, numbers_a_row);
  state_.memory = start_moments(plan.server, rows, numbers_a_row);
  task.start(plan.seed, {state_.shared.row(0), task.parameters()});
  RowMatrix& devices = state_.devices.on_device();
  if (task.private_width() > 0) devices = RowMatrix(task.devices(), task.private_width());
  for (std::uint32_t device = 0; device < devices.rows(); ++device)
    task.start_private(plan.seed, UserIndex{device}, devices.values(device));
}

auto AveragingFederation::cohort() -> Users {
  answering_.clear();
  for (const UserIndex device : selector_.select(state_.round))
    if (task_.answers(device)) answering_.push_back(device);
  return answering_;
}

void AveragingFederation::distribute(std::size_t devices) { one_ = count_units(plan_.fixed, devices); }

Status AveragingFederation::answer(Users users, Lane& lane) {
  const UserIndex device = users.front();
  lane.copy.take_values(state_.shared);
  const std::span<float> copy{lane.copy.row(0), task_.parameters()};
  RowMatrix& devices = state_.devices.on_device();
  const std::span<float> own = devices.rows() > 0 ? devices.values(device.value) : std::span<float>();
  SOTTO_TRY(const LocalReport report, task_.train(plan_.seed, state_.round, device, plan_.local, copy, own));
  if (!report.finite || !write_update(model(), copy, plan_.fixed, one_, lane.contribution))
    return numbers_diverged(state_.round);
  lane.counts.triples += report.examples;
  lane.counts.loss_units += report.loss_units;
  return Done{};
}

Status AveragingFederation::release(Aggregator&& total) {
  const AveragedStep step{.server = plan_.server, .fixed = plan_.fixed, .one = one_, .round = state_.round};
  return take_step(step, std::move(total), state_.shared, state_.memory)
             ? Status(Done{})
             : Status(numbers_diverged(state_.round));
}

template class RoundDriver<AveragingFederation, AveragingSeat>;

}  // namespace sotto::sim
