#include "fed/wire/server_model.h"

#include <algorithm>
#include <cmath>

namespace sotto {

namespace {

Error refuse_statistic(const char* why) {
  return fail(Code::bad_input, std::string("contribution refused: ") + why);
}

// Adds the sum to the master.
class FplServer final : public ServerModel {
 public:
  explicit FplServer(const Task& task) : model_(task.fpl(task.plan.seed)), fixed_(task.plan.fixed) {}

  RowMatrix start_shared() const override { return model_.start_shared(); }
  Status check(const Contribution& /*contribution*/) const override { return Done{}; }
  Result<RowMatrix> release(std::uint32_t /*round*/, const RowMatrix& master,
                            Aggregator&& sum) const override {
    RowMatrix next = master;
    bool finite = true;
    std::move(sum).release([&](std::uint32_t row, const auto* values) {
      model_.apply(values, fixed_, next.row(row));
      for (const float value : next.values(row)) finite = finite && std::isfinite(value);
    });
    if (!finite)
      return fail(
          Code::diverged,
          "the model left the finite numbers; lower the learning rate, or set a clip (in a new task)");
    return next;
  }

 private:
  Fpl model_;
  FixedPoint fixed_;
};

// Solves every row anew from the sums of statistics: what was before plays no part.
class FedAlsServer final : public ServerModel {
 public:
  explicit FedAlsServer(const Task& task)
      : model_(task.fedals()), shape_(task.shape()), fixed_(task.plan.fixed), clip_(task.clip) {}

  RowMatrix start_shared() const override { return model_.start_shared(); }

  Status check(const Contribution& contribution) const override {
    if (contribution.size() == 0 || contribution.row(0) != 0)
      return refuse_statistic("it lacks the row that everybody adds to");
    for (std::size_t n = 1; n < contribution.size(); ++n)
      if (contribution.row(n) == contribution.row(n - 1)) return refuse_statistic("it names a row twice");
    const std::int32_t* first = contribution.values(0);  // the others are alike
    const auto in_range = [&](std::int32_t value) { return value >= -shape_.limit && value <= shape_.limit; };
    if (!std::all_of(first, first + shape_.sum_width, in_range))
      return refuse_statistic("a number is larger than a statistic's");
    // The last number says how many devices speak: this one. A clip makes it smaller with the others.
    const auto one = static_cast<std::int32_t>(fixed_.scale());
    const std::int32_t counted = first[shape_.sum_width - 1];
    const bool clipped = clip_.row != ClipLimits::none || clip_.whole != ClipLimits::none;
    if (clipped ? counted < 0 || counted > one : counted != one)
      return refuse_statistic("it does not count as one device");
    return Done{};
  }

  Result<RowMatrix> release(std::uint32_t round, const RowMatrix& /*master*/,
                            Aggregator&& sum) const override {
    RowMatrix next(shape_.rows, shape_.width), memory;
    FedAls::Server server(model_, round, fixed_, next, memory);
    bool everybody = false;  // the row that everybody adds to is there
    std::move(sum).release([&](std::uint32_t row, const auto* values) {
      everybody = everybody || row == 0;
      server.take(row, values);
    });
    if (!everybody || !server.solved())
      return fail(
          Code::diverged,
          "federated ALS has no solution for this round's sums: they are singular, or left the range; "
          "raise lambda, or lower confidence (in a new task)");
    return next;
  }

 private:
  FedAls model_;
  TaskShape shape_;
  FixedPoint fixed_;
  ClipLimits clip_;
};

}  // namespace

std::unique_ptr<ServerModel> ServerModel::make(const Task& task) {
  switch (task.model) {
    case TaskModel::fpl:
      return std::make_unique<FplServer>(task);
    case TaskModel::fedals:
      return std::make_unique<FedAlsServer>(task);
  }
  SOTTO_ASSERT(false, "every model that trains over a network has a server's half");
}

}  // namespace sotto
