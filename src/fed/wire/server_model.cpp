#include "fed/wire/server_model.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sotto {

namespace {

Error refuse_statistic(const char* why) {
  return fail(Code::bad_input, std::string("contribution refused: ") + why);
}

// Whether numbers are, as far as rounding goes, the upper triangle of f·[p, 1][p, 1]ᵀ for some row p and one
// f ≤ 1, in units of 1/S: of a statistic, that is (model/fed_als.h). `cut` is what a clip may have cut off
// each.
//
// Without a clip, x = S·p: the last column is a = x + e, |e| ≤ ½, the others v = x y/S·(1 + d) + e, |d| ≤
// 2⁻²⁴ (a product of floats), and the count c = S. So |v c - a b| ≤ 2⁻²⁴|x y| + S/2 + (|x| + |y|)/2 + ¼. A
// clip multiplies all by f and cuts: on the right S becomes c + cut, x becomes |a| + ½ + cut, and on the left
// four factors that are off by a cut add cut·(|v| + |a| + |b| + c) + 2 cut².
bool is_outer_product(const std::int32_t* numbers, std::size_t factors, double cut) {
  std::vector<double> last(factors);
  const std::int32_t* row = numbers;
  for (std::size_t i = 0; i < factors; row += factors + 1 - i, ++i) last[i] = row[factors - i];
  const double count = *row;
  for (std::size_t i = 0; i < factors; ++i, ++numbers) {
    if (*numbers < 0) return false;  // a square
    for (std::size_t j = i; j < factors; ++j, ++numbers) {
      const double value = *numbers, a = last[i], b = last[j];
      const double x = std::abs(a) + 0.5 + cut, y = std::abs(b) + 0.5 + cut;
      const double rounded = 0x1p-24 * x * y + 0.5 * (count + cut + x + y) + 0.25;
      const double clipped = cut * (std::abs(value) + std::abs(a) + std::abs(b) + count) + 2.0 * cut * cut;
      if (std::abs(value * count - a * b) > rounded + clipped) return false;
    }
  }
  return true;
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
    // The last number says how many devices speak: this one. A clip makes it smaller with the others.
    const auto one = static_cast<std::int32_t>(fixed_.scale());
    const std::int32_t counted = first[shape_.sum_width - 1];
    if (clipped() ? counted < 0 || counted > one : counted != one)
      return refuse_statistic("it does not count as one device");
    // Two clips, of the row and of the whole, cut towards zero.
    const double cut = clipped() ? 2.001 : 0.0;
    const double most = shape_.limit * (counted + cut) / one + cut;
    if (!std::all_of(first, first + shape_.sum_width, [&](double value) { return std::abs(value) <= most; }))
      return refuse_statistic("a number is larger than a statistic's");
    if (!is_outer_product(first, shape_.width - 1, cut))
      return refuse_statistic("its numbers are not the products of a row, as a statistic's are");
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
    if (!everybody || !server.solved()) return no_rows();
    return next;
  }

 private:
  [[nodiscard]] bool clipped() const {
    return clip_.row != ClipLimits::none || clip_.whole != ClipLimits::none;
  }
  // A task of this model has a clip where it has noise, and nowhere else.
  [[nodiscard]] Error no_rows() const {
    if (clipped())
      return fail(Code::diverged,
                  "federated ALS has no solution for this round's sums: their noise is too large for so few "
                  "devices; raise goal, or take a larger epsilon, fewer factors or a larger lambda (in a new "
                  "task)");
    return fail(Code::diverged,
                "federated ALS has no solution for this round's sums: they are singular, or left the range; "
                "raise lambda, or lower confidence (in a new task)");
  }

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
