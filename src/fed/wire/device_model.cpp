#include "fed/wire/device_model.h"

#include <fmt/core.h>

#include <vector>

#include "data/membership.h"
#include "data/pair_sampler.h"
#include "fed/contribute.h"

namespace sotto {

namespace {

Error no_row(const std::string& when) {
  return fail(Code::diverged,
              fmt::format("federated ALS has no solution {}: the task's lambda is too low, or "
                          "its confidence too high, for this device's history",
                          when));
}

// Fits pairs; its private row is state.
class FplDevice final : public DeviceModel {
 public:
  FplDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : task_(task),
        streams_(streams),
        history_(history),
        model_(task.fpl(streams.seed)),
        consumed_(history.consumed, task.items),
        sampler_(history.shareable, consumed_, task.items, streams.seed, streams.index),
        work_(model_.shared_width()),
        pairs_(task.triples()) {}

  // An item that may be trained on, and one it lacks.
  bool can_answer() const override {
    return history_.shareable.interactions() > 0 && history_.consumed.interactions() < task_.items;
  }
  RowMatrix start() const override {
    RowMatrix own(1, model_.private_width());
    model_.start_private(streams_.index, own.row(0));
    return own;
  }
  std::uint32_t row_of(ItemIndex item) const override { return item.value; }

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

// Solves its private row anew for what it received, and answers with its statistic.
class FedAlsDevice final : public DeviceModel {
 public:
  FedAlsDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : task_(task),
        streams_(streams),
        history_(history),
        model_(task.fedals()),
        device_(model_),
        sent_(model_.sum_width()) {}

  bool can_answer() const override { return history_.shareable.interactions() > 0; }
  RowMatrix start() const override {
    RowMatrix own(1, model_.private_width());
    model_.start_private(streams_.index, own.row(0));
    return own;
  }
  std::uint32_t row_of(ItemIndex item) const override { return item.value + 1; }

  Result<Contribution*> contribute(std::uint32_t round, const RowMatrix& shared, RowMatrix& own) override {
    SerialExecutor here;
    const FactorSide received(shared, here);  // the sum of products is reckoned here, and not asked for
    const HistoryVisit visit{.received = &received,
                             .history = history_.shareable.of(UserIndex{0}),
                             .own = own.row(0),
                             .user = streams_.index,
                             .round = round};
    model_.start_private(streams_.index, visit.own);
    sent_.clear();
    ContributionPipeline pipeline({task_.plan.consent, task_.plan.seed, round, streams_.index},
                                  task_.plan.fixed, sent_);
    if (!device_.solve(visit).solved || !device_.contribute(visit, pipeline).finite)
      return no_row(fmt::format("in round {}", round));
    return &sent_;
  }

 private:
  const Task& task_;
  DeviceStreams streams_;
  DeviceHistory history_;
  FedAls model_;
  FedAls::Device device_;
  Contribution sent_;
};

}  // namespace

std::unique_ptr<DeviceModel> DeviceModel::make(const Task& task, const DeviceStreams& streams,
                                               const DeviceHistory& history) {
  switch (task.model) {
    case TaskModel::fpl:
      return std::make_unique<FplDevice>(task, streams, history);
    case TaskModel::fedals:
      return std::make_unique<FedAlsDevice>(task, streams, history);
  }
  SOTTO_ASSERT(false, "every model that trains over a network has a device's half");
}

Result<std::optional<Private<RowMatrix>>> solved_row(const Task& task, const RowMatrix& shared,
                                                     std::span<const ItemIndex> items) {
  if (task.model != TaskModel::fedals) return std::optional<Private<RowMatrix>>();
  SOTTO_ASSERT(shared.rows() == task.shape().rows && shared.width() == task.shape().width,
               "the model is the task's");
  if (items.empty())
    return fail(Code::not_found, "there is nothing on this device that the task's catalogue has: add items");
  const FedAls model = task.fedals();
  RowMatrix own(1, model.private_width());
  model.start_private(UserIndex{}, own.row(0));
  SerialExecutor here;
  const FactorSide received(shared, here);
  const HistoryVisit visit{.received = &received, .history = items, .own = own.row(0)};
  if (!FedAls::Device(model).solve(visit).solved) return no_row("for the model at hand");
  return std::optional(Private<RowMatrix>(std::move(own)));
}

}  // namespace sotto
