// FPL over a network: a device's pairs move the rows of their items.
#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "data/membership.h"
#include "data/pair_sampler.h"
#include "fed/contribute.h"
#include "fed/models/row_answers.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "model/fpl.h"

namespace sotto::fed {

namespace {

Fpl fpl_of(const Task& task, std::uint64_t seed) { return {options_of<FplOptions>(task), task.items, seed}; }

#ifdef SOTTO_NO_SERVER
constexpr std::nullptr_t configure_fpl = nullptr;
#else
void configure_fpl(TaskOptions& keys, v1::TaskSpec& spec) {
  FplOptions fpl;
  keys.whole("factors", fpl.factors);
  keys.real("lr", fpl.learning_rate);
  fpl.user_reg = fpl.positive_reg = fpl.learning_rate / 20.0f;
  fpl.negative_reg = fpl.learning_rate / 200.0f;
  keys.real("user_reg", fpl.user_reg);
  keys.real("positive_reg", fpl.positive_reg);
  keys.real("negative_reg", fpl.negative_reg);
  keys.real("init_sd", fpl.init_sd);
  std::size_t local = 0;
  keys.choice("local", {"sequential", "batch"}, local);
  std::uint32_t triples = 20;
  keys.whole("triples", triples);
  spec.set_factors(fpl.factors);
  spec.set_learning_rate(fpl.learning_rate);
  spec.set_user_reg(fpl.user_reg);
  spec.set_positive_reg(fpl.positive_reg);
  spec.set_negative_reg(fpl.negative_reg);
  spec.set_init_sd(fpl.init_sd);
  spec.set_batch_steps(local == 1);
  spec.set_triples(triples);
}
#endif

Status read_fpl(const v1::TaskSpec& spec, Task& task) {
  const FplOptions fpl{.factors = spec.factors(),
                       .learning_rate = spec.learning_rate(),
                       .user_reg = spec.user_reg(),
                       .positive_reg = spec.positive_reg(),
                       .negative_reg = spec.negative_reg(),
                       .init_sd = spec.init_sd(),
                       .local = spec.batch_steps() ? LocalSteps::batch : LocalSteps::sequential};
  SOTTO_TRY_DONE(check_no_options(spec));
  task.options = fpl;
  task.plan.triples = spec.triples();
  return check(fpl);
}

// Each triple touches two rows, and none stands there more often than it was touched.
TaskShape shape_of_fpl(const Task& task) {
  const std::size_t width = std::size_t{options_of<FplOptions>(task).factors} + 1;
  return {.rows = task.items,
          .width = width,
          .sum_rows = task.items,
          .sum_width = width,
          .sent = {.rows = task.items, .width = width, .most_rows = std::size_t{2} * *task.plan.triples},
          .limit = fixed_limit};
}

// Fits pairs; its private row is state.
class FplDevice final : public DeviceModel {
 public:
  FplDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : task_(task),
        streams_(streams),
        history_(history),
        model_(fpl_of(task, streams.seed)),
        consumed_(history.consumed, task.items),
        sampler_(history.shareable, consumed_, task.items, streams.seed, streams.index),
        work_(model_.shared_width()),
        pairs_(*task.plan.triples) {}

  // An item that may be trained on, and one it lacks.
  bool can_answer() const override {
    return history_.shareable.interactions() > 0 && history_.consumed.interactions() < task_.items;
  }
  RowMatrix start() const override {
    RowMatrix own(1, model_.private_width());
    model_.start_private(streams_.index, own.row(0));
    return own;
  }

  Result<Contribution*> contribute(std::uint32_t round, const RowMatrix& shared, RowMatrix& own) override {
    RowMatrix scratch(1, model_.private_width());
    const VisitPlace place{round, streams_.index};
    sampler_.draw(std::span(&place, 1), pairs_);
    const Visit visit{.shared = &shared,
                      .own = own.row(0),
                      .scratch = scratch.row(0),
                      .pairs = pairs_,
                      .user = streams_.index,
                      .round = round};
    const VisitReport report = work_.contribute(model_, task_.plan, std::span(&visit, 1));
    if (!report.finite)
      return fail(Code::diverged,
                  fmt::format("training diverged in round {}: the task's learning rate is too "
                              "high for this device's history",
                              round));
    return &work_.contribution(0);
  }

 private:
  const Task& task_;
  DeviceStreams streams_;
  DeviceHistory history_;
  Fpl model_;
  Membership consumed_;
  PairSampler sampler_;
  DeviceWork work_;
  std::vector<Pair> pairs_;
};

// Adds the sum to the master.
class FplServer final : public ServerModel {
 public:
  explicit FplServer(const Task& task) : model_(fpl_of(task, task.plan.seed)), fixed_(task.plan.fixed) {}

  ServerState start() const override { return {model_.start_shared(), {}}; }
  Status check(const Contribution& /*contribution*/) const override { return Done{}; }
  Result<ServerState> release(std::uint32_t /*releases*/, const ServerState& state,
                              Aggregator&& sum) const override {
    RowMatrix next = state.shared;
    bool finite = true;
    std::move(sum).release([&](std::uint32_t row, const auto* values) {
      model_.apply(values, fixed_, next.row(row));
      for (const float value : next.values(row)) finite = finite && std::isfinite(value);
    });
    if (!finite)
      return fail(
          Code::diverged,
          "the model left the finite numbers; lower the learning rate, or set a clip (in a new task)");
    return ServerState{std::move(next), {}};
  }

 private:
  Fpl model_;
  FixedPoint fixed_;
};

}  // namespace

constinit const TaskModel fpl_task{
    .name = "fpl",
    .is_first = true,
    .configure = configure_fpl,
    .read = read_fpl,
    .shape = shape_of_fpl,
    .row_of = [](ItemIndex item) { return item.value; },
    .device = device_half<FplDevice>,
    .server = server_half<FplServer>,
    .answers = answers_of_state,
    .keeps_state = true,
    .weighable = Weighable::steps,
    .grown = grown_by_rows,
};

}  // namespace sotto::fed
