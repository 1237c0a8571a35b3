// FCF over a network: a device's gradient in the row of every item, and the server's step along their sum.
#include <algorithm>
#include <cmath>
#include <vector>

#include "fed/models/history_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "model/fcf.h"

namespace sotto::fed {

namespace {

struct FcfTask {
  FcfOptions fcf;
  float share = 1.0f;  // of the people in a round: the sum of a part is scaled up to all
};

constexpr float sgd_rate = 1e-4f;  // a step along a sum over all users must be short

void visit_fcf(TaskOptions& keys, FcfTask& task) {
  AlsOptions& als = task.fcf.als;
  als.reg_power = 0.0f;  // the server's half has one λ for all
  keys.whole("factors", als.factors);
  keys.real("lambda", als.lambda);
  keys.real("confidence", als.confidence);
  keys.real("init_sd", als.init_sd);
  ServerStepOptions& server = task.fcf.server;
  auto step = static_cast<std::size_t>(server.step);
  keys.choice("server", {"adam", "sgd", "momentum"}, step);
  const auto chosen = static_cast<ServerStep>(step);
  if (chosen != server.step && chosen != ServerStep::adam) server.rate = sgd_rate;
  server.step = chosen;
  keys.real("server_lr", server.rate);
  keys.real("beta1", server.beta1);
  keys.real("beta2", server.beta2);
  keys.real("share", task.share);
}

Status read_fcf(const v1::TaskSpec& spec, Task& task) {
  SOTTO_TRY_DONE((read_by<FcfTask, visit_fcf>(spec, task)));
  auto& own = std::any_cast<FcfTask&>(task.options);
  own.fcf.als.seed = spec.seed();
  if (!(own.share > 0.0f) || own.share > 1.0f)
    return fail(Code::bad_input, "share: a number above 0 and up to 1, the share of the people in a round");
  return check(own.fcf);
}

Fcf fcf_of(const Task& task) {
  const auto& own = options_of<FcfTask>(task);
  return {own.fcf, task.items, double{own.share}};
}

// Every item has its row, once.
TaskShape shape_of_fcf(const Task& task) {
  const Fcf model = fcf_of(task);
  return {.rows = task.items,
          .width = model.shared_width(),
          .sum_rows = model.sum_rows(),
          .sum_width = model.sum_width(),
          .most_rows = model.sum_rows(),
          .limit = step_limit};
}

class FcfDevice final : public HistoryDevice<Fcf> {
 public:
  FcfDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : HistoryDevice(fcf_of(task), task, streams, history) {}
};

class FcfServer final : public HistoryServer<Fcf> {
 public:
  explicit FcfServer(const Task& task) : HistoryServer(fcf_of(task), task), shape_(task.shape()) {}

  Status check(const Contribution& contribution) const override;

 private:
  [[nodiscard]] Error no_release() const override {
    return fail(Code::diverged,
                "the model left the finite numbers: lower server_lr, or raise lambda (in a new task)");
  }

  TaskShape shape_;
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
// m its largest number, a row v has v_k r_m = r_k v_m but for rounding. With v = f p + e and r = g p + d, |e|
// and |d| at most 1 (a float product, then the nearest integer), the two differ by e_k r_m + d_m v_k - d_k
// v_m - e_m r_k and a product of two of these: at most 2(|v_k| + |v_m|) + 2(|r_k| + |r_m|) + 4 with room to
// spare. A row with a number at the range's end was held there, and is bounded by the range alone.
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
    if (most < shape_.limit && (longest == nullptr || most > std::abs(std::int64_t{longest[top]}))) {
      longest = row;
      top = at;
    }
  }
  if (longest == nullptr) return Done{};
  const double r = longest[top];
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    const std::int32_t* row = contribution.values(n);
    const double v = row[top];
    if (std::abs(std::int64_t{row[largest_at(row, shape_.sum_width)]}) >= shape_.limit) continue;
    for (std::size_t k = 0; k < shape_.sum_width; ++k) {
      const double own = row[k], other = longest[k];
      const double rounded = 2.0 * (std::abs(own) + std::abs(v) + std::abs(other) + std::abs(r)) + 4.0;
      if (std::abs(own * r - other * v) > rounded)
        return refuse_gradient("its rows are not multiples of one, as a gradient's are");
    }
  }
  return Done{};
}

Result<Private<RowMatrix>> solved_row_of_fcf(const Task& task, const RowMatrix& shared,
                                             std::span<const ItemIndex> items) {
  return solved_private_row(fcf_of(task), shared, items);
}

}  // namespace

constinit const TaskModel fcf_task{
    .name = "fcf",
    .configure = configure_by<FcfTask, visit_fcf>,
    .read = read_fcf,
    .shape = shape_of_fcf,
    .row_of = nullptr,
    .device = device_half<FcfDevice>,
    .server = server_half<FcfServer>,
    .solved_row = solved_row_of_fcf,
};

}  // namespace sotto::fed
