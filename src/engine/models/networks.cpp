// MultVAE and NeuMF: trained in one place by the neural module, or by federated averaging.
#include "engine/models/networks.h"

#include <nlohmann/json.hpp>

#include "engine/models/all_models.h"
#include "engine/models/averaged_networks.h"
#include "engine/models/neural_training.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/federated_training.h"
#include "engine/train/memory_plan.h"
#include "engine/train/released_rows.h"
#include "engine/train/training.h"
#include "model/averaging/flat_matrices.h"
#include "model/central/multvae.h"
#include "model/central/neumf.h"

namespace sotto::engine {

namespace {

// ---- the two networks over trained rows ----

Result<std::unique_ptr<Recommender>> view_multvae(const TrainRequest& /*request*/, const Split& split,
                                                  const RowsView& rows, Executor& executor) {
  return std::unique_ptr<Recommender>(
      std::make_unique<MultVae>(split.train, &rows.items, &rows.layers, executor));
}

Result<std::unique_ptr<Recommender>> view_neumf(const TrainRequest& request, const Split& /*split*/,
                                                const RowsView& rows, Executor& /*executor*/) {
  return std::unique_ptr<Recommender>(std::make_unique<NeuMf>(
      network_options(request).neumf, request.plan.seed, &rows.users, &rows.items, &rows.layers));
}

std::optional<RowShapes> multvae_rows(const TrainRequest& request, const Split& split) {
  const MultVaeOptions& vae = request.model.own<NetworkSettings>().neural.vae;
  return RowShapes{vae_items_shape(split.catalogue, vae), {}, vae_layer_shapes(split.catalogue, vae)};
}

std::optional<RowShapes> neumf_rows(const TrainRequest& request, const Split& split) {
  const NeuMfOptions neumf = network_options(request).neumf;
  const std::size_t width = neumf_row_width(neumf);
  return RowShapes{{split.catalogue, width}, {split.users.size(), width}, neumf_layer_shapes(neumf)};
}

// ---- what a run holds of a released version: the flat vector's matrices, items at their places ----

std::vector<RowMatrix> matrices_in(const RowMatrix& flat, const std::vector<MatrixShape>& shapes) {
  return matrices_of({flat.row(0), flat_ends(shapes).back()}, shapes);
}

Parameters with_items(std::vector<RowMatrix> matrices, const ReleasedRows& released) {
  Parameters made{.items = placed(matrices.front(), released.item_at), .users = {}};
  made.layers.assign(std::make_move_iterator(matrices.begin() + 1), std::make_move_iterator(matrices.end()));
  return made;
}

Result<Parameters> multvae_of_rows(const ReleasedRows& released, const TrainRequest& request,
                                   const Split& /*split*/, Executor& /*executor*/) {
  const MultVaeOptions& vae = request.model.own<NetworkSettings>().neural.vae;
  const std::size_t items = released.task.items;
  Parameters made = with_items(matrices_in(released.rows, multvae_shared_shapes(items, vae)), released);
  std::vector<std::uint32_t> at = released.item_at;
  at.push_back(static_cast<std::uint32_t>(items));  // the bias, behind the items
  made.layers[vae_input] = placed(made.layers[vae_input], at);
  return made;
}

Result<Parameters> neumf_of_rows(const ReleasedRows& released, const TrainRequest& request,
                                 const Split& split, Executor& executor) {
  const NeuMfOptions neumf = network_options(request).neumf;
  Parameters made =
      with_items(matrices_in(released.rows, neumf_shared_shapes(released.task.items, neumf)), released);
  const RowMatrix nobody(split.users.size(), neumf_row_width(neumf));
  const NeuMf model(neumf, request.plan.seed, &nobody, &made.items, &made.layers);
  made.users = Private(rows_of_people(split, nobody.width(), executor,
                                      [&](UserIndex user) { return model.fold_in(split.train.of(user)); }));
  return made;
}

// ---- their memory ----

// All matrices, once.
double multvae_bytes(const TrainRequest& request, const MemoryFacts& facts) {
  const MultVaeOptions& vae = request.model.own<NetworkSettings>().neural.vae;
  double sum = matrix_bytes(vae_items_shape(facts.catalogue, vae));
  for (const MatrixShape& shape : vae_layer_shapes(facts.catalogue, vae)) sum += matrix_bytes(shape);
  return sum;
}

double neumf_bytes(const TrainRequest& request, const MemoryFacts& facts) {
  const NeuMfOptions neumf = network_options(request).neumf;
  double sum = matrix_bytes({facts.catalogue + facts.users, neumf_row_width(neumf)});
  for (const MatrixShape& shape : neumf_layer_shapes(neumf)) sum += matrix_bytes(shape);
  return sum;
}

void add_decoded_users(const TrainRequest& request, const MemoryFacts& facts,
                       std::vector<MemoryPart>& parts) {
  const std::size_t hidden = request.model.own<NetworkSettings>().neural.vae.hidden;
  parts.push_back({"decoded users", matrix_bytes({facts.users, hidden + 1})});
}

void add_copies(const TrainRequest& request, const MemoryFacts& facts, double network,
                std::vector<MemoryPart>& parts) {
  if (request.early.patience > 0) parts.push_back({"the best model so far", network});
  // A copy with both moments, and the bytes of it, which may grow to twice their size while they are written.
  if (facts.keeps_checkpoints) parts.push_back({"a checkpoint", 9.0 * network});
}

// In one place: the network, what the optimiser carries, and the model that is handed over.
void add_training(const TrainRequest& request, const MemoryFacts& facts, double network,
                  std::vector<MemoryPart>& parts) {
  parts.push_back({"the network, its gradient and moments", 4.0 * network});
  parts.push_back({"the model handed over", network});
  add_copies(request, facts, network, parts);
}

// Federated: the model, what the server's optimiser carries, its sums; and each thread's device.
void add_averaging(const TrainRequest& request, const MemoryFacts& facts, double network,
                   std::vector<MemoryPart>& parts) {
  parts.push_back({"the network, the server's moments and sums", 10.0 * network});
  // The copy it trains, its gradient, what it sends, and the network that steps are made on.
  parts.push_back({"devices at work", 4.0 * network * static_cast<double>(facts.threads)});
  add_copies(request, facts, network, parts);
}

void add_multvae_memory(const TrainRequest& request, const MemoryFacts& facts,
                        std::vector<MemoryPart>& parts) {
  const NeuralOptions& neural = request.model.own<NetworkSettings>().neural;
  add_training(request, facts, multvae_bytes(request, facts), parts);
  // Every item's score for a batch, and up to 32 slopes for its hidden values.
  const double batch = std::min(static_cast<double>(neural.batch), static_cast<double>(facts.users));
  parts.push_back(
      {"scores of a batch", 4.0 * batch * (static_cast<double>(facts.catalogue) + 32.0 * neural.vae.hidden)});
  add_decoded_users(request, facts, parts);
}

void add_neumf_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const NeuralOptions& neural = request.model.own<NetworkSettings>().neural;
  add_training(request, facts, neumf_bytes(request, facts), parts);
  parts.push_back({"interactions in order", 16.0 * static_cast<double>(facts.interactions)});
  parts.push_back({"who has what", membership_bytes(facts)});
  parts.push_back(
      {"items' part of the first layer", matrix_bytes({facts.catalogue, neural.neumf.layers[1]})});
}

// ---- federated averaging ----

Result<std::unique_ptr<LocalTask>> multvae_task(const NeuralModule& module, const DeviceHistories& histories,
                                                std::size_t catalogue, const NeuralOptions& options,
                                                const Schedule& schedule) {
  MultVaeOptions vae = options.vae;
  vae.anneal_epochs *= schedule.rounds_per_epoch;  // of the task: rounds
  return module.start_fed_multvae(histories, catalogue, vae);
}

Result<std::unique_ptr<LocalTask>> neumf_task(const NeuralModule& module, const DeviceHistories& histories,
                                              std::size_t catalogue, const NeuralOptions& options,
                                              const Schedule& /*schedule*/) {
  return module.start_fed_neumf(histories, catalogue, options.neumf);
}

constexpr AveragedNetwork fed_multvae{multvae_rates,
                                      [](const TrainRequest& request, std::size_t catalogue) {
                                        return multvae_shared_shapes(
                                            catalogue, request.model.own<NetworkSettings>().neural.vae);
                                      },
                                      multvae_task};
constexpr AveragedNetwork fed_neumf{neumf_rates,
                                    [](const TrainRequest& request, std::size_t catalogue) {
                                      return neumf_shared_shapes(catalogue, network_options(request).neumf);
                                    },
                                    neumf_task};

void add_network_summary(const TrainRequest& request, const Split& /*split*/, const Trained& trained,
                         nlohmann::json& json) {
  std::uint64_t parameters = trained.parameters->items.rows() * trained.parameters->items.width();
  for (const RowMatrix& layer : trained.parameters->layers) parameters += layer.rows() * layer.width();
  json["parameters"] = parameters;
  json["local_epochs"] = request.model.own<NetworkSettings>().local_epochs;
}

// ---- their options ----

template <class T>
Field network_row(const char* path, const char* flag, const char* help, T NeuralOptions::*member) {
  return fields::field(
             {path, flag, "N", help},
             [member](auto& request) -> auto& {
               return request.model.template own<NetworkSettings>().neural.*member;
             })
      .in_group("Network");
}

template <class T>
Field vae_row(const char* path, const char* flag, const char* help, T MultVaeOptions::*member) {
  return fields::field(
             {path, flag, "N", help},
             [member](auto& request) -> auto& {
               return request.model.template own<NetworkSettings>().neural.vae.*member;
             })
      .in_group("Network");
}

template <class T>
auto of_neumf(T NeuMfOptions::*member) {
  return [member](auto& request) -> auto& {
    return request.model.template own<NetworkSettings>().neural.neumf.*member;
  };
}

Fields central_fields(const char* batch) {
  using namespace fields;
  return {network_row("model.lr", "--lr", "learning rate α of Adam", &NeuralOptions::learning_rate)
              .of_scope("network")
              .in_group("Model"),
          epochs(), network_row("neural.batch", "--batch", batch, &NeuralOptions::batch),
          network_row("neural.l2", "--l2", "weight of the network's squared parameters in the loss",
                      &NeuralOptions::l2)};
}

Fields averaged_fields(const char* batch, const AveragedRates& usual) {
  using namespace fields;
  return joined({{field({"model.lr", "--lr", "N", "learning rate of a device's steps"},
                        own(&NetworkSettings::local_rate))
                      .of_scope("averaging")
                      .with_standard(fmt::format("{}", usual.device))
                      .in_group("Model"),
                  epochs(), network_row("neural.batch", "--batch", batch, &NeuralOptions::batch),
                  field({"averaging.local_epochs", "--local-epochs", "N",
                         "passes of a device over its history per round"},
                        own(&NetworkSettings::local_epochs))
                      .in_group("Network"),
                  field({"averaging.proximal", "--proximal", "MU",
                         "μ: how strongly a device is held to the model it received"},
                        own(&NetworkSettings::proximal))
                      .in_group("Network"),
                  cohort()},
                 server_step("adam"),
                 federated_fields(),
                 criteria_fields()});
}

Fields multvae_fields() {
  return {vae_row("neural.hidden", "--hidden", "neurons of the hidden layers", &MultVaeOptions::hidden),
          vae_row("neural.latent", "--latent", "length of the code", &MultVaeOptions::latent),
          vae_row("neural.dropout", "--dropout", "share of a history that is hidden from each visit",
                  &MultVaeOptions::dropout),
          vae_row("neural.anneal_cap", "--anneal-cap", "largest weight β of the divergence",
                  &MultVaeOptions::anneal_cap),
          vae_row("neural.anneal_epochs", "--anneal-epochs", "epochs over which β rises from 0",
                  &MultVaeOptions::anneal_epochs)};
}

Fields neumf_fields() {
  using namespace fields;
  return {factors(),
          field({"model.negatives", "--negatives", "N", "negatives drawn per consumed item"},
                of_neumf(&NeuMfOptions::negatives))
              .of_scope("network")
              .in_group("Model"),
          with_commas(field({"neural.layers", "--layers", "LIST",
                             "sizes of the network: both vectors, then each layer"},
                            of_neumf(&NeuMfOptions::layers)))
              .in_group("Network")};
}

constexpr const char* network_reveals = "how every parameter of the network changed, from consented items";

}  // namespace

NeuralOptions network_options(const TrainRequest& request) {
  NeuralOptions options = request.model.own<NetworkSettings>().neural;
  options.neumf.factors = request.plan.fpl.factors;
  return options;
}

ModelEntry multvae_entry() {
  return {.name = "multvae",
          .title = "MultVAE",
          .about = "a variational autoencoder of histories (Liang et al. 2018)",
          .fields = joined({central_fields("users per step"), multvae_fields()}),
          .own = NetworkSettings{},
          .check = [](const TrainRequest& request) { return check(network_options(request)); },
          .start =
              [](const TrainRequest& request, const Split& split, Executor& executor, Storage*) {
                return start_neural_training(
                    [](const NeuralModule& module, const Split& of, const NeuralOptions& options,
                       std::uint64_t seed) {
                      return module.start_multvae(of.train, of.catalogue, options, seed);
                    },
                    request, split, executor);
              },
          .view = view_multvae,
          .shapes = multvae_rows,
          .memory = add_multvae_memory,
          .memory_remedy = "lower --hidden or --batch"};
}

ModelEntry neumf_entry() {
  return {
      .name = "neumf",
      .title = "NeuMF",
      .about = "a network on top of matrix factorisation (He et al. 2017)",
      .fields = joined({central_fields("interactions per step"), neumf_fields()}),
      .own = NetworkSettings{},
      .check = [](const TrainRequest& request) { return check(network_options(request)); },
      .start =
          [](const TrainRequest& request, const Split& split, Executor& executor, Storage*) {
            return start_neural_training(
                [](const NeuralModule& module, const Split& of, const NeuralOptions& options,
                   std::uint64_t seed) { return module.start_neumf(of.train, of.catalogue, options, seed); },
                request, split, executor);
          },
      .view = view_neumf,
      .shapes = neumf_rows,
      .memory = add_neumf_memory};
}

ModelEntry fedmultvae_entry() {
  return {.name = "fedmultvae",
          .title = "Federated MultVAE",
          .about = "MultVAE by federated averaging",
          .sends = Sends::network,
          .reveals = network_reveals,
          .fields = joined({averaged_fields("users per step", multvae_rates), multvae_fields()}),
          .own = NetworkSettings{},
          .check = [](const TrainRequest& request) { return check_averaged(request, multvae_rates); },
          .start = [](const TrainRequest& request, const Split& split, Executor& executor,
                      Storage*) { return start_averaged_network(fed_multvae, request, split, executor); },
          .view = view_multvae,
          .shapes = multvae_rows,
          .of_rows = multvae_of_rows,
          .memory =
              [](const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
                add_averaging(request, facts, multvae_bytes(request, facts), parts);
                add_decoded_users(request, facts, parts);
              },
          .memory_remedy = "lower --hidden or --batch",
          .population = people_with_histories,
          .summary = add_network_summary};
}

ModelEntry fedneumf_entry() {
  return {.name = "fedneumf",
          .title = "Federated NeuMF",
          .about = "NeuMF by federated averaging",
          .sends = Sends::network,
          .reveals = network_reveals,
          .fields = joined({averaged_fields("interactions per step", neumf_rates), neumf_fields()}),
          .own = NetworkSettings{},
          .check = [](const TrainRequest& request) { return check_averaged(request, neumf_rates); },
          .start = [](const TrainRequest& request, const Split& split, Executor& executor,
                      Storage*) { return start_averaged_network(fed_neumf, request, split, executor); },
          .view = view_neumf,
          .shapes = neumf_rows,
          .of_rows = neumf_of_rows,
          .memory =
              [](const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
                add_averaging(request, facts, neumf_bytes(request, facts), parts);
              },
          .population = people_with_histories,
          .summary = add_network_summary};
}

}  // namespace sotto::engine
