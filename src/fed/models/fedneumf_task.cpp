// NeuMF by federated averaging over a network: items' rows and layers are shared, a person's row stays.
#include "fed/models/averaging_task.h"
#include "fed/models/row_answers.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "model/averaging/flat_matrices.h"
#include "model/averaging/network_starts.h"
#include "model/central/neumf.h"

namespace sotto::fed {

namespace {

struct NeuMfTaskOptions {
  NeuMfOptions neumf;
  AveragedSteps averaging{neumf_rates, NeuralOptions{}.batch};
};

void visit_neumf(TaskOptions& keys, NeuMfTaskOptions& options) {
  keys.whole("factors", options.neumf.factors);
  keys.wholes("layers", options.neumf.layers);
  keys.whole("negatives", options.neumf.negatives);
  keys.whole("batch", options.averaging.local.batch);
  visit_averaging(keys, options.averaging, neumf_rates);
}

Status read_neumf(const v1::TaskSpec& spec, Task& task) {
  SOTTO_TRY_DONE((read_by<NeuMfTaskOptions, visit_neumf>(spec, task)));
  const auto& options = options_of<NeuMfTaskOptions>(task);
  SOTTO_TRY_DONE(
      check(NeuralOptions{.batch = options.averaging.local.batch, .vae = {}, .neumf = options.neumf}));
  return check_averaging(spec, options.averaging);
}

class NeuMfNet final : public AveragedNet {
 public:
  explicit NeuMfNet(const Task& task) : options_(options_of<NeuMfTaskOptions>(task)), items_(task.items) {}

  const AveragedSteps& options() const override { return options_.averaging; }
  std::vector<MatrixShape> shapes() const override { return neumf_shared_shapes(items_, options_.neumf); }
  void draw(std::size_t n, RowMatrix& matrix, std::uint64_t seed) const override {
    draw_neumf_matrix(n < neumf_users_matrix ? n : n + 1, matrix, seed);
  }
  bool has_private() const override { return true; }
  RowMatrix start_private(const DeviceStreams& streams) const override {
    RowMatrix own(1, neumf_row_width(options_.neumf));
    draw_neumf_user(streams.index.value, own.values(0), streams.seed);
    return own;
  }
  // Who has everything has nothing to compare with.
  bool can_train(std::size_t items) const override { return items > 0 && items < items_; }
  Result<std::unique_ptr<LocalTask>> open(const NetworkTasks& networks, const RoundData& data) override {
    return networks.start_fed_neumf(data.histories, items_, options_.neumf);
  }

 private:
  NeuMfTaskOptions options_;
  std::size_t items_;
};

Result<std::unique_ptr<TaskAnswers>> neumf_answers(const PersonView& view) {
  const NeuMfOptions& options = options_of<NeuMfTaskOptions>(view.task).neumf;
  SOTTO_TRY_DONE(check_own_row(view, neumf_row_width(options)));
  std::vector<RowMatrix> layers = received_matrices(NeuMfNet(view.task), view.shared);
  RowMatrix items = std::move(layers.front());
  layers.erase(layers.begin());
  return network_answers(std::make_unique<NeuMf>(options, view.task.plan.seed, view.own->on_device(),
                                                 std::move(items), std::move(layers)));
}

}  // namespace

constinit const TaskModel fedneumf_task{
    .name = "fedneumf",
    .configure = configure_by<NeuMfTaskOptions, visit_neumf>,
    .read = read_neumf,
    .shape = [](const Task& task) { return shape_of_averaging(NeuMfNet(task)); },
    .row_of = nullptr,
    .device = device_half<AveragingDeviceOf<NeuMfNet>>,
    .server = server_half<AveragingServerOf<NeuMfNet>>,
    .answers = neumf_answers,
    .keeps_state = true,
    .weighable = Weighable::mean,
    .trains_network = true,
};

}  // namespace sotto::fed
