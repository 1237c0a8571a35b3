// Federated ALS over a network: a device's statistic, and the items solved from the sums of them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fed/models/history_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "fed/models/weighed_task.h"
#include "model/fed_als.h"

namespace sotto::fed {

namespace {

FedAls als_of(const Task& task) { return {options_of<AlsOptions>(task), task.items}; }

#ifdef SOTTO_NO_SERVER
constexpr std::nullptr_t configure_als = nullptr;
#else
void configure_als(TaskOptions& keys, v1::TaskSpec& spec) {
  AlsOptions als;
  keys.whole("factors", als.factors);
  keys.real("lambda", als.lambda);
  keys.real("confidence", als.confidence);
  keys.real("reg_power", als.reg_power);
  keys.real("init_sd", als.init_sd);
  spec.set_factors(als.factors);
  spec.set_lambda(als.lambda);
  spec.set_confidence(als.confidence);
  spec.set_reg_power(als.reg_power);
  spec.set_init_sd(als.init_sd);
}
#endif

// A statistic stands at most once in each row, as it was rounded.
TaskShape shape_of_als(const Task& task) {
  const FedAls model = als_of(task);
  return {.rows = task.items,
          .width = model.shared_width(),
          .sum_rows = model.sum_rows(),
          .sum_width = model.sum_width(),
          .sent = {.rows = model.sum_rows(),
                   .width = model.sum_width(),
                   .most_rows = model.sum_rows(),
                   .alike = true},
          .limit = step_limit,
          .solved = true};
}

Status read_als(const v1::TaskSpec& spec, Task& task) {
  const AlsOptions als{.factors = spec.factors(),
                       .lambda = spec.lambda(),
                       .confidence = spec.confidence(),
                       .reg_power = spec.reg_power(),
                       .init_sd = spec.init_sd(),
                       .seed = spec.seed()};
  SOTTO_TRY_DONE(check_no_options(spec));
  task.options = als;
  SOTTO_TRY_DONE(check_fed_als(als));
  if (spec.down() != v1::PRECISION_F32)
    return fail(Code::bad_input, "federated ALS is exact and sends its model in f32: leave down out");
  return Done{};
}

class FedAlsDevice final : public HistoryDevice<FedAls> {
 public:
  FedAlsDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : HistoryDevice(als_of(task), task, streams, history) {}
};

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

// Solves every row anew from the sums of statistics: what was before plays no part.
class FedAlsServer final : public HistoryServer<FedAls> {
 public:
  explicit FedAlsServer(const Task& task)
      : HistoryServer(als_of(task), task),
        shape_(shape_of_als(task)),
        fixed_(task.plan.fixed),
        clip_(task.clip),
        weight_(most_weight(task)),
        rounding_(task.criteria ? 0.501 * weight_ : 0.0),
        is_whole_(!clip_.any() && !task.criteria) {}

  Status check(const Contribution& contribution) const override {
    if (contribution.size() == 0 || contribution.row(0) != 0)
      return refuse_statistic("it lacks the row that everybody adds to");
    for (std::size_t n = 1; n < contribution.size(); ++n)
      if (contribution.row(n) == contribution.row(n - 1)) return refuse_statistic("it names a row twice");
    const std::int32_t* first = contribution.values(0);  // the others are alike
    // The last number says how many devices speak: this one. A clip makes it smaller with the others, a
    // weight smaller or larger.
    const auto one = static_cast<std::int32_t>(fixed_.scale());
    const std::int32_t counted = first[shape_.sum_width - 1];
    if (is_whole_ ? counted != one : counted < 0 || counted > one * weight_ + 0.501)
      return refuse_statistic("it does not count as one device");
    // Two clips, of the row and of the whole, cut towards zero; a weight multiplies what was rounded before.
    const double cut = (clip_.any() ? 2.001 : 0.0) + rounding_;
    const double most = shape_.limit * (counted + cut) / one + cut;
    if (!std::all_of(first, first + shape_.sum_width, [&](double value) { return std::abs(value) <= most; }))
      return refuse_statistic("a number is larger than a statistic's");
    if (!is_outer_product(first, shape_.width - 1, cut))
      return refuse_statistic("its numbers are not the products of a row, as a statistic's are");
    return Done{};
  }

 private:
  // A task of this model has a clip where it has noise, and nowhere else.
  [[nodiscard]] Error no_release() const override {
    if (clip_.any())
      return fail(Code::diverged,
                  "federated ALS has no solution for this round's sums: their noise is too large for so few "
                  "devices; raise goal, or take a larger epsilon, fewer factors or a larger lambda (in a new "
                  "task)");
    return fail(Code::diverged,
                "federated ALS has no solution for this round's sums: they are singular, or left the range; "
                "raise lambda, or lower confidence (in a new task)");
  }

  TaskShape shape_;
  FixedPoint fixed_;
  ClipLimits clip_;
  double weight_;    // by which it may be multiplied at most
  double rounding_;  // what that makes of a rounding
  bool is_whole_;    // it is neither clipped nor multiplied
};

}  // namespace

constinit const TaskModel fedals_task{
    .name = "fedals",
    .is_first = true,
    .configure = configure_als,
    .read = read_als,
    .shape = shape_of_als,
    .row_of = [](ItemIndex item) { return item.value + 1; },
    .device = device_half<FedAlsDevice>,
    .server = server_half<FedAlsServer>,
    .answers = answers_by_solving<als_of>,
    .weighable = Weighable::sums,
    .grown = grown_by_rows,
};

}  // namespace sotto::fed
