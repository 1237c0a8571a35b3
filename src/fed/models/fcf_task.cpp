// FCF over a network: a device's gradient in the row of every item, and the server's step along their sum.
#include <algorithm>
#include <cmath>
#include <vector>

#include "fed/models/history_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "fed/models/weighed_task.h"
#include "model/fcf.h"

namespace sotto::fed {

namespace {

void visit_fcf(TaskOptions& keys, FcfOptions& fcf) {
  AlsOptions& als = fcf.als;
  als.reg_power = 0.0f;  // the server's half has one λ for all
  keys.whole("factors", als.factors);
  keys.real("lambda", als.lambda);
  keys.real("confidence", als.confidence);
  keys.real("init_sd", als.init_sd);
  ServerStepOptions& server = fcf.server;
  auto step = static_cast<std::size_t>(server.step);
  keys.choice("server", server_steps, step);
  const auto chosen = static_cast<ServerStep>(step);
  if (chosen != server.step) server.rate = usual_fcf_rate(chosen);
  server.step = chosen;
  keys.real("server_lr", server.rate);
  keys.real("beta1", server.beta1);
  keys.real("beta2", server.beta2);
}

Status read_fcf(const v1::TaskSpec& spec, Task& task) {
  SOTTO_TRY_DONE((read_by<FcfOptions, visit_fcf>(spec, task)));
  auto& fcf = std::any_cast<FcfOptions&>(task.options);
  fcf.als.seed = spec.seed();
  return check(fcf);
}

Fcf fcf_of(const Task& task) { return {options_of<FcfOptions>(task), task.items, task.share}; }

// Every item has its row, once.
TaskShape shape_of_fcf(const Task& task) {
  const Fcf model = fcf_of(task);
  return {.rows = task.items,
          .width = model.shared_width(),
          .sum_rows = model.sum_rows(),
          .sum_width = model.sum_width(),
          .sent = {.rows = model.sum_rows(), .width = model.sum_width(), .most_rows = model.sum_rows()},
          .limit = step_limit};
}

class FcfDevice final : public HistoryDevice<Fcf> {
 public:
  FcfDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : HistoryDevice(fcf_of(task), task, streams, history) {}
};

class FcfServer final : public HistoryServer<Fcf> {
 public:
  explicit FcfServer(const Task& task)
      : HistoryServer(fcf_of(task), task), shape_(task.shape()), off_(rounding_of(task)) {}

  Status check(const Contribution& contribution) const override;

 private:
  [[nodiscard]] Error no_release() const override {
    return fail(Code::diverged,
                "the model left the finite numbers: lower server_lr, or raise lambda (in a new task)");
  }

  // A weight multiplies what was rounded before, and is rounded again.
  static double rounding_of(const Task& task) {
    return (task.clip.any() ? 2.001 : 0.0) + most_weight(task) + (task.criteria ? 0.501 : 0.0);
  }

  TaskShape shape_;
  double off_;  // by how much rounding may change a number
};

Error refuse_gradient(const char* why) {
  return fail(Code::bad_input, std::string("contribution refused: ") + why);
}

// The largest of some numbers, by its place.
std::size_t largest_at(const std::int32_t* values, std::size_t count) {
  std::size_t at = 0;
  for (std::size_t k = 1; k < count; ++k)
    if (std::abs(std::int64_t{values[k]}) > std::abs(std::int64_t{values[at]})) at = k;
  return at;
}

// Every row is a multiple of one vector, the device's p, in rounded integers: with the longest row as r, and
// m its largest number, a row v has v_k r_m = r_k v_m but for rounding. With v = f p + e and r = g p + d, the
// two differ by f p_k d_m + e_k g p_m + e_k d_m - g p_k e_m - d_k f p_m - d_k e_m: where no rounding is off
// by more than `off`, at most off (|v_k| + |v_m| + |r_k| + |r_m|) + 6 off². A float product and the nearest
// integer are off by at most 1; two clips shorten and cut, each by less than 1 more.
Status FcfServer::check(const Contribution& contribution) const {
  const std::int32_t* longest = nullptr;
  std::size_t top = 0;
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    if (n > 0 && contribution.row(n) == contribution.row(n - 1))
      return refuse_gradient("it names a row twice");
    const std::int32_t* row = contribution.values(n);
    const std::size_t at = largest_at(row, shape_.sum_width);
    const std::int64_t most = std::abs(std::int64_t{row[at]});
    if (most > shape_.limit) return refuse_gradient("a number is larger than a gradient's");
    if (longest == nullptr || most > std::abs(std::int64_t{longest[top]})) {
      longest = row;
      top = at;
    }
  }
  if (longest == nullptr) return Done{};
  const double r = longest[top];
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    const std::int32_t* row = contribution.values(n);
    const double v = row[top];
    for (std::size_t k = 0; k < shape_.sum_width; ++k) {
      const double own = row[k], other = longest[k];
      const double rounded =
          off_ * (std::abs(own) + std::abs(v) + std::abs(other) + std::abs(r)) + 6.0 * off_ * off_;
      if (std::abs(own * r - other * v) > rounded)
        return refuse_gradient("its rows are not multiples of one, as a gradient's are");
    }
  }
  return Done{};
}

}  // namespace

constinit const TaskModel fcf_task{
    .name = "fcf",
    .configure = configure_by<FcfOptions, visit_fcf>,
    .read = read_fcf,
    .shape = shape_of_fcf,
    .row_of = nullptr,
    .device = device_half<FcfDevice>,
    .server = server_half<FcfServer>,
    .answers = answers_by_solving<fcf_of>,
    .weighable = Weighable::steps,
    .grown = grown_by_rows,
};

}  // namespace sotto::fed
