// MultVAE by federated averaging over a network: every matrix is shared, and a person is the history alone.
#include "fed/models/averaging_task.h"
#include "fed/models/row_answers.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "model/averaging/flat_matrices.h"
#include "model/averaging/network_starts.h"
#include "model/central/multvae.h"

namespace sotto::fed {

namespace {

struct VaeTaskOptions {
  MultVaeOptions vae;  // its epochs are rounds
  AveragedSteps averaging{multvae_rates};
};

void visit_vae(TaskOptions& keys, VaeTaskOptions& options) {
  keys.whole("hidden", options.vae.hidden);
  keys.whole("latent", options.vae.latent);
  keys.real("dropout", options.vae.dropout);
  keys.real("anneal_cap", options.vae.anneal_cap);
  keys.whole("anneal_rounds", options.vae.anneal_epochs);
  visit_averaging(keys, options.averaging, multvae_rates);
}

Status read_vae(const v1::TaskSpec& spec, Task& task) {
  SOTTO_TRY_DONE((read_by<VaeTaskOptions, visit_vae>(spec, task)));
  const auto& options = options_of<VaeTaskOptions>(task);
  SOTTO_TRY_DONE(check(NeuralOptions{.vae = options.vae, .neumf = {}}));
  return check_averaging(spec, options.averaging);
}

class VaeNet final : public AveragedNet {
 public:
  explicit VaeNet(const Task& task) : options_(options_of<VaeTaskOptions>(task)), items_(task.items) {}

  const AveragedSteps& options() const override { return options_.averaging; }
  std::vector<MatrixShape> shapes() const override { return multvae_shared_shapes(items_, options_.vae); }
  void draw(std::size_t n, RowMatrix& matrix, std::uint64_t seed) const override {
    draw_vae_matrix(n, matrix, options_.vae, seed);
  }
  Result<std::unique_ptr<LocalTask>> open(const NetworkTasks& networks, const RoundData& data) override {
    return networks.start_fed_multvae(data.histories, items_, options_.vae);
  }

 private:
  VaeTaskOptions options_;
  std::size_t items_;
};

Result<std::unique_ptr<TaskAnswers>> vae_answers(const PersonView& view) {
  if (view.history.interactions() == 0) return nothing_to_answer_from();
  std::vector<RowMatrix> layers = received_matrices(VaeNet(view.task), view.shared);
  RowMatrix items = std::move(layers.front());
  layers.erase(layers.begin());
  SerialExecutor here;
  return network_answers(std::make_unique<MultVae>(view.history, std::move(items), std::move(layers), here));
}

}  // namespace

constinit const TaskModel fedmultvae_task{
    .name = "fedmultvae",
    .configure = configure_by<VaeTaskOptions, visit_vae>,
    .read = read_vae,
    .shape = [](const Task& task) { return shape_of_averaging(VaeNet(task)); },
    .row_of = nullptr,
    .device = device_half<AveragingDeviceOf<VaeNet>>,
    .server = server_half<AveragingServerOf<VaeNet>>,
    .answers = vae_answers,
    .weighable = Weighable::mean,
    .trains_network = true,
};

}  // namespace sotto::fed
