// Federated RP3β over a network: item sets in, the weights of walks between items out.
#include "fed/models/pair_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "model/central/rp3beta.h"

namespace sotto::fed {

namespace {

struct WalkTaskOptions {
  Rp3Options walk;
  float recency = 0.0f;
  PairTaskOptions pairs;
};

void visit_walk(TaskOptions& keys, WalkTaskOptions& options) {
  keys.real("alpha", options.walk.alpha);
  keys.real("beta", options.walk.beta);
  keys.whole("neighbors", options.walk.neighbors);
  keys.real("recency", options.recency);
  visit_pairs(keys, options.pairs);
}

PersonWeight weight_of_walk(const Task& task) {
  return PersonWeight(options_of<WalkTaskOptions>(task).walk.alpha);
}

std::size_t kept_walks(const Task& task) {
  return std::min<std::size_t>(options_of<WalkTaskOptions>(task).walk.neighbors, task.items);
}

Status read_walk(const v1::TaskSpec& spec, Task& task) {
  SOTTO_TRY_DONE((read_by<WalkTaskOptions, visit_walk>(spec, task)));
  SOTTO_TRY_DONE(check_kept_weights(spec));
  SOTTO_TRY_DONE(Recency::check(options_of<WalkTaskOptions>(task).recency));
  return check(options_of<WalkTaskOptions>(task).walk);
}

class WalkServer final : public PairServer {
 public:
  explicit WalkServer(const Task& task)
      : PairServer(task, weight_of_walk(task)), options_(options_of<WalkTaskOptions>(task).walk) {}

 private:
  [[nodiscard]] Status solve(const PairSum& pairs, RowMatrix& rows) const override {
    SerialExecutor here;
    SOTTO_TRY(const ItemWeights weights, fit_rp3beta(pairs, options_, here));
    put_weights(weights, WeightsBy::source, rows);
    return Done{};
  }

  Rp3Options options_;
};

}  // namespace

constinit const TaskModel fedrp3beta_task{
    .name = "fedrp3beta",
    .configure = configure_by<WalkTaskOptions, visit_walk>,
    .read = read_walk,
    .shape =
        [](const Task& task) {
          return shape_of_pairs(task, options_of<WalkTaskOptions>(task).pairs, task.items,
                                2 * kept_walks(task), weight_of_walk(task));
        },
    .row_of = [](ItemIndex item) { return item.value; },
    .device = pair_device,
    .server = server_half<WalkServer>,
    .answers =
        [](const PersonView& view) {
          return weight_answers(view, WeightsBy::source, options_of<WalkTaskOptions>(view.task).recency);
        },
    .added = [](const Task& task, const Contribution& sent,
                Contribution& out) { add_all_pairs(task, weight_of_walk(task), sent, out); },
#ifndef SOTTO_NO_SERVER
    .check_cost =
        [](const Task& task, std::uint32_t devices) {
          return check_pair_cost(task, options_of<WalkTaskOptions>(task).pairs, weight_of_walk(task),
                                 devices);
        },
#endif
    .grown = grown_weights,
};

}  // namespace sotto::fed
