// Federated EASE over a network: item sets in, a square matrix of weights out.
#include <fmt/core.h>

#include <algorithm>

#include "fed/models/pair_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "model/central/ease.h"

namespace sotto::fed {

namespace {

struct EaseTaskOptions {
  EaseOptions ease;
  float gram_power = 0.0f;  // somebody with n items counts n^−power
  PairTaskOptions pairs;
};

void visit_ease(TaskOptions& keys, EaseTaskOptions& options) {
  keys.real("lambda", options.ease.lambda);
  keys.real("gram_power", options.gram_power);
  keys.real("recency", options.ease.recency);
  visit_pairs(keys, options.pairs);
}

PersonWeight weight_of_ease(const Task& task) {
  return PersonWeight(options_of<EaseTaskOptions>(task).gram_power);
}

Status read_ease(const v1::TaskSpec& spec, Task& task) {
  SOTTO_TRY_DONE((read_by<EaseTaskOptions, visit_ease>(spec, task)));
  const auto& options = options_of<EaseTaskOptions>(task);
  const std::size_t items = summed_items(task, options.pairs);
  SOTTO_TRY_DONE(items < task.items ? check_kept_weights(spec) : check_pair_spec(spec));
  if (items > usual_dense_items)
    return fail(
        Code::usage,
        fmt::format("federated EASE publishes a weight for every two items, {:.1f} GB for {} of "
                    "them: it takes at most {}; set pair_items, or take a model with weights for near "
                    "items alone, such as federated Item-kNN or RP3β",
                    4e-9 * static_cast<double>(items) * static_cast<double>(items), items,
                    usual_dense_items));
  if (!(options.gram_power >= 0.0f && options.gram_power <= 2.0f))
    return fail(Code::usage, "gram_power is a number from 0 (everybody counts 1) to 2");
  return check(options.ease);
}

class EaseServer final : public PairServer {
 public:
  explicit EaseServer(const Task& task)
      : PairServer(task, weight_of_ease(task)), options_(options_of<EaseTaskOptions>(task).ease) {}

 private:
  [[nodiscard]] Status solve(const PairSum& pairs, RowMatrix& rows) const override {
    SerialExecutor here;
    SOTTO_TRY(const auto model, Ease::solve(pairs, Histories({0}, {}), options_, here));
    if (kept()) return put_popular(*model, pairs.items(), kept()->items(), rows);
    for (std::uint32_t item = 0; item < rows.rows(); ++item)
      SOTTO_TRY_DONE(model->similar(ItemIndex{item}, rows.values(item)));
    return Done{};
  }
  // Each item's number, then its weights.
  [[nodiscard]] static Status put_popular(const Ease& model, std::size_t catalogue,
                                          std::span<const std::uint32_t> kept, RowMatrix& rows) {
    std::vector<float> weights(catalogue);
    for (std::size_t n = 0; n < kept.size(); ++n) {
      SOTTO_TRY_DONE(model.similar(ItemIndex{kept[n]}, weights));
      float* row = rows.row(n);
      *row++ = static_cast<float>(kept[n]);
      for (const std::uint32_t other : kept) *row++ = weights[other];
    }
    return Done{};
  }

  EaseOptions options_;
};

#ifdef SOTTO_NO_SERVER
constexpr std::nullptr_t grown_ease = nullptr;
#else
// Where there are more items than popular ones for the first time, those of before are these, by their
// numbers, until a round finds which are popular: they are no more than there is room for.
ServerState grown_ease(const Task& task, const ServerState& state) {
  const std::size_t before = state.shared.rows();
  const auto is_made = [&] {
    for (std::size_t row = 0; row < before; ++row)
      for (const float value : state.shared.values(row))
        if (value != 0.0f) return true;
    return false;
  };
  if (task.parts() == 1 || state.shared.width() > before || !is_made()) return grown_by_rows(task, state);
  ServerState grown = task.model->server(task)->start();
  for (std::size_t row = 0; row < grown.shared.rows(); ++row) {
    grown.shared.row(row)[0] = static_cast<float>(row);
    if (row < before) std::ranges::copy(state.shared.values(row), grown.shared.row(row) + 1);
  }
  return grown;
}
#endif

TaskShape shape_of_ease(const Task& task) {
  const PairTaskOptions pairs = options_of<EaseTaskOptions>(task).pairs;
  const std::size_t items = summed_items(task, pairs);
  return shape_of_pairs(task, pairs, items, items < task.items ? items + 1 : items, weight_of_ease(task));
}

}  // namespace

constinit const TaskModel fedease_task{
    .name = "fedease",
    .configure = configure_by<EaseTaskOptions, visit_ease>,
    .read = read_ease,
    .shape = shape_of_ease,
    .row_of = [](ItemIndex item) { return item.value; },
    .device = pair_device,
    .server = server_half<EaseServer>,
    .answers =
        [](const PersonView& view) {
          return matrix_answers(view, options_of<EaseTaskOptions>(view.task).ease.recency);
        },
    .added = [](const Task& task, const Contribution& sent,
                Contribution& out) { add_all_pairs(task, weight_of_ease(task), sent, out); },
#ifndef SOTTO_NO_SERVER
    .check_cost =
        [](const Task& task, std::uint32_t devices) {
          return check_pair_cost(task, options_of<EaseTaskOptions>(task).pairs, weight_of_ease(task),
                                 devices);
        },
#endif
    .grown = grown_ease,
};

}  // namespace sotto::fed
