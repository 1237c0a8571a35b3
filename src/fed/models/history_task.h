// Both halves of a task whose model answers from its whole history (model/history_model.h), once for all such
// models. A model's own file adds what only it knows: which contributions a device of it could have made, and
// what to say where a round has no solution.
//
// Laws: those of fed/models/task_model.h. Where the private row is solved and not state, it is solved anew
// for what was received before the device answers, as the simulator's device does.
#pragma once

#include <fmt/core.h>

#include <algorithm>

#include "fed/history_sink.h"
#include "fed/models/noting_pipeline.h"
#include "fed/models/row_answers.h"
#include "model/history_model.h"

namespace sotto::fed {

// What a device makes of the rows that came: they themselves, or with the sum of their products, which is
// reckoned here and not asked for.
[[nodiscard]] inline const RowMatrix& received_as(const RowMatrix& shared, const RowMatrix* /*as*/) {
  return shared;
}
[[nodiscard]] inline FactorSide received_as(const RowMatrix& shared, const FactorSide* /*as*/) {
  SerialExecutor here;
  return FactorSide(shared, here);
}

// `when`: "in round 3".
[[nodiscard]] inline Error no_private_row(const char* title, const std::string& when) {
  return fail(Code::diverged,
              fmt::format("{} has no solution {}: the task's lambda is too low, or its confidence too "
                          "high, for this device's history",
                          title, when));
}

template <class Model>
class HistoryDevice : public DeviceModel {
 public:
  HistoryDevice(const Model& model, const Task& task, const DeviceStreams& streams,
                const DeviceHistory& history)
      : task_(task),
        streams_(streams),
        history_(history),
        model_(model),
        device_(model_),
        sent_(model_.sum_width()) {}

  bool can_answer() const override { return history_.shareable.interactions() > 0; }
  RowMatrix start() const override {
    RowMatrix own(1, model_.private_width());
    model_.start_private(streams_.index, own.row(0));
    return own;
  }

  Result<Contribution*> contribute(std::uint32_t round, const RowMatrix& shared, RowMatrix& own) override {
    using Received = typename Model::Received;
    const Received& received = received_as(shared, static_cast<const Received*>(nullptr));
    const DeviceVisit<Received> visit{.received = &received,
                                      .history = history_.shareable.of(UserIndex{0}),
                                      .own = own.row(0),
                                      .user = streams_.index,
                                      .round = round};
    if constexpr (SolvesPrivateRows<Model>) {
      model_.start_private(streams_.index, visit.own);
      if (!device_.solve(visit).solved) return no_answer(round);
    }
    sent_.clear();
    let_out_.clear();
    NotingPipeline pipeline({task_.plan.consent, task_.plan.seed, round, streams_.index}, task_.plan.fixed,
                            sent_, let_out_);
    if (!device_.contribute(visit, pipeline).finite) return no_answer(round);
    return &sent_;
  }
  std::vector<ItemIndex> let_out() const override {
    std::vector<ItemIndex> items = let_out_;
    std::ranges::sort(items);
    items.erase(std::unique(items.begin(), items.end()), items.end());
    return items;
  }

 protected:
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  [[nodiscard]] static Error no_answer(std::uint32_t round) {
    const std::string when = fmt::format("in round {}", round);
    return SolvesPrivateRows<Model> ? no_private_row(Model::title, when)
                                    : fail(Code::diverged, fmt::format("training diverged {}: the task's "
                                                                       "rates are too high for this "
                                                                       "device's history",
                                                                       when));
  }

  const Task& task_;
  DeviceStreams streams_;
  DeviceHistory history_;
  Model model_;
  typename Model::Device device_;
  Contribution sent_;
  std::vector<ItemIndex> let_out_;
};

template <class Model>
class HistoryServer : public ServerModel {
 public:
  HistoryServer(const Model& model, const Task& task) : model_(model), fixed_(task.plan.fixed) {}

  ServerState start() const override { return {model_.start_shared(), model_.start_memory()}; }
  Result<ServerState> release(std::uint32_t releases, const ServerState& state,
                              Aggregator&& sum) const override {
    ServerState next = state;
    if (!take_sum(model_, releases, fixed_, std::move(sum), next.shared, next.memory)) return no_release();
    return next;
  }

 private:
  [[nodiscard]] virtual Error no_release() const = 0;

  Model model_;
  FixedPoint fixed_;
};

// Answers from a row that is solved for the shared rows at hand and all that the person has.
template <auto model_of>
[[nodiscard]] Result<std::unique_ptr<TaskAnswers>> answers_by_solving(const PersonView& view) {
  const auto model = model_of(view.task);
  using Model = std::remove_const_t<decltype(model)>;
  if (view.history.interactions() == 0) return nothing_to_answer_from();
  RowMatrix own(1, model.private_width());
  model.start_private(UserIndex{}, own.row(0));
  SerialExecutor here;
  const FactorSide received(view.shared, here);
  const HistoryVisit visit{
      .received = &received, .history = view.history.of(UserIndex{0}), .own = own.row(0)};
  if (!typename Model::Device(model).solve(visit).solved)
    return no_private_row(Model::title, "for the model at hand");
  return row_answers(view, Private<RowMatrix>(std::move(own)));
}

}  // namespace sotto::fed
