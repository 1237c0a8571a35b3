#include "sim/averaging_federation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fed/messages.h"
#include "privacy/number_rows.h"

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

// What one thread needs to play a device, kept over rounds.
struct AveragingFederation::Shard {
  explicit Shard(std::size_t rows) : copy(rows, numbers_a_row), sent(numbers_a_row) {}

  RowMatrix copy;  // the device's copy of the model
  Contribution sent;
  LocalReport report;
  Status status = Done{};
};

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
    : task_(task),
      plan_(plan),
      executor_(executor),
      collector_(collector),
      able_(able_devices(task)),
      cohort_(cohort_of(plan.cohort, able_.size())),
      selector_(able_, cohort_, plan.seed),
      space_(averaging_shape(task.parameters()).rows, numbers_a_row) {
  const std::size_t rows = rows_for(task.parameters());
  state_.model = RowMatrix(rows, numbers_a_row);
  state_.memory = start_moments(plan.server, rows, numbers_a_row);
  task.start(plan.seed, {state_.model.row(0), task.parameters()});
  RowMatrix& devices = state_.devices.on_device();
  if (task.private_width() > 0) devices = RowMatrix(task.devices(), task.private_width());
  for (std::uint32_t device = 0; device < devices.rows(); ++device)
    task.start_private(plan.seed, UserIndex{device}, devices.values(device));
  const std::size_t threads = std::clamp<std::size_t>(executor.threads(), 1, cohort_);
  shards_.reserve(threads);
  for (std::size_t n = 0; n < threads; ++n) shards_.emplace_back(rows);
}

AveragingFederation::~AveragingFederation() = default;

void AveragingFederation::restore(AveragingState state) { state_ = std::move(state); }

void AveragingFederation::play(UserIndex device, Shard& shard) {
  shard.copy.take_values(state_.model);
  const std::span<float> copy{shard.copy.row(0), task_.parameters()};
  RowMatrix& devices = state_.devices.on_device();
  const std::span<float> own = devices.rows() > 0 ? devices.values(device.value) : std::span<float>();
  const Result<LocalReport> report = task_.train(plan_.seed, state_.round, device, plan_.local, copy, own);
  shard.status = Done{};
  if (!report.ok()) {
    shard.status = report.error();
    return;
  }
  shard.report = *report;
  if (!report->finite || !write_update(model(), copy, plan_.fixed, one_, shard.sent))
    shard.status = numbers_diverged(state_.round);
}

Status AveragingFederation::visit_cohort(std::span<const UserIndex> cohort, RoundReport& report) {
  for (std::size_t first = 0; first < cohort.size(); first += shards_.size()) {
    const std::size_t count = std::min(shards_.size(), cohort.size() - first);
    executor_.run(count, [&](std::size_t n) { play(cohort[first + n], shards_[n]); });
    for (std::size_t n = 0; n < count; ++n) {
      SOTTO_TRY_DONE(shards_[n].status);
      report.triples += shards_[n].report.examples;
      report.loss_units += shards_[n].report.loss_units;
      SOTTO_TRY_DONE(collector_.accept(cohort[first + n], shards_[n].sent));
    }
  }
  return Done{};
}

Status AveragingFederation::step(Aggregator&& total) {
  const AveragedStep step{.server = plan_.server, .fixed = plan_.fixed, .one = one_, .round = state_.round};
  return take_step(step, std::move(total), state_.model, state_.memory)
             ? Status(Done{})
             : Status(numbers_diverged(state_.round));
}

std::span<const UserIndex> AveragingFederation::answering() {
  answering_.clear();
  for (const UserIndex device : selector_.select(state_.round))
    if (task_.answers(device)) answering_.push_back(device);
  return answering_;
}

Status AveragingFederation::run_round(RoundReport& report) {
  const std::span<const UserIndex> cohort = answering();
  if (cohort.empty()) return ++report.rounds, ++state_.round, Done{};
  one_ = count_units(plan_.fixed, cohort.size());
  SOTTO_TRY_DONE(collector_.begin({state_.round, cohort, &state_.model}));
  SOTTO_TRY_DONE(visit_cohort(cohort, report));
  Aggregator total(space_);
  SOTTO_TRY(const Traffic traffic, collector_.finish(total));
  SOTTO_TRY_DONE(step(std::move(total)));
  ++state_.round;
  report.rounds += 1;
  report.exchanges += cohort.size();
  report.bytes_down += cohort.size() * encoded_model_bytes(state_.model.rows(), numbers_a_row) + traffic.down;
  report.bytes_up += traffic.up;
  return Done{};
}

Result<RoundReport> AveragingFederation::run(std::uint32_t rounds) {
  RoundReport report;
  for (std::uint32_t n = 0; n < rounds; ++n) SOTTO_TRY_DONE(run_round(report));
  return report;
}

}  // namespace sotto::sim
