// Federated Item-kNN over a network: item sets in, each item's nearest neighbours out.
#include "fed/models/pair_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "model/central/pair_knn.h"

namespace sotto::fed {

namespace {

struct KnnTaskOptions {
  KnnOptions knn;
  float recency = 0.0f;
  PairTaskOptions pairs;
};

void visit_knn(TaskOptions& keys, KnnTaskOptions& options) {
  keys.whole("neighbors", options.knn.neighbors);
  keys.real("shrink", options.knn.shrink);
  auto similarity = static_cast<std::size_t>(options.knn.similarity);
  keys.choice("similarity", {"cosine", "jaccard", "pearson"}, similarity);
  options.knn.similarity = static_cast<Similarity>(similarity);
  keys.real("recency", options.recency);
  visit_pairs(keys, options.pairs);
}

std::size_t kept_neighbors(const Task& task) {
  return std::min<std::size_t>(options_of<KnnTaskOptions>(task).knn.neighbors, task.items);
}

Status read_knn(const v1::TaskSpec& spec, Task& task) {
  SOTTO_TRY_DONE((read_by<KnnTaskOptions, visit_knn>(spec, task)));
  SOTTO_TRY_DONE(check_kept_weights(spec));
  SOTTO_TRY_DONE(Recency::check(options_of<KnnTaskOptions>(task).recency));
  return check(options_of<KnnTaskOptions>(task).knn);
}

class KnnServer final : public PairServer {
 public:
  explicit KnnServer(const Task& task)
      : PairServer(task, PersonWeight()), options_(options_of<KnnTaskOptions>(task).knn) {}

 private:
  [[nodiscard]] Status solve(const PairSum& pairs, RowMatrix& rows) const override {
    SerialExecutor here;
    SOTTO_TRY(const ItemWeights weights, fit_pair_knn(pairs, options_, here));
    put_weights(weights, WeightsBy::target, rows);
    return Done{};
  }

  KnnOptions options_;
};

}  // namespace

constinit const TaskModel feditemknn_task{
    .name = "feditemknn",
    .configure = configure_by<KnnTaskOptions, visit_knn>,
    .read = read_knn,
    .shape =
        [](const Task& task) {
          return shape_of_pairs(task, options_of<KnnTaskOptions>(task).pairs, task.items,
                                2 * kept_neighbors(task), PersonWeight());
        },
    .row_of = [](ItemIndex item) { return item.value; },
    .device = pair_device,
    .server = server_half<KnnServer>,
    .answers =
        [](const PersonView& view) {
          return weight_answers(view, WeightsBy::target, options_of<KnnTaskOptions>(view.task).recency);
        },
    .added = [](const Task& task, const Contribution& sent,
                Contribution& out) { add_all_pairs(task, PersonWeight(), sent, out); },
#ifndef SOTTO_NO_SERVER
    .check_cost =
        [](const Task& task, std::uint32_t devices) {
          return check_pair_cost(task, options_of<KnnTaskOptions>(task).pairs, PersonWeight(), devices);
        },
#endif
    .grown = grown_weights,
};

}  // namespace sotto::fed
