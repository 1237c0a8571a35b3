// FPL: federated pair-wise learning. Devices send steps of the items' rows for a few triples.
#include <nlohmann/json.hpp>
#include <variant>

#include "engine/models/all_models.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/federated_training.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"
#include "fed/selection.h"
#include "fed/wire/published_model.h"
#include "sim/federation.h"

namespace sotto::engine {

namespace {

class FplTraining final : public FederatedTraining<FplFederation, std::monostate> {
 public:
  using FederatedTraining::FederatedTraining;

  [[nodiscard]] std::vector<RowMatrix> moments() const override { return {}; }
  void count_updates(std::vector<std::uint64_t> so_far) override {
    federation_.count_updates(std::move(so_far));
  }
  [[nodiscard]] std::vector<std::uint64_t> item_updates() const override {
    return federation_.item_updates();
  }
};

Result<Population> fpl_population(const TrainRequest& request, const Split& split) {
  Population population{.users = eligible_users(split.train, split.catalogue), .schedule = {}};
  SOTTO_TRY(population.schedule,
            schedule_for(request.plan, population.users.size(), split.train.interactions()));
  return population;
}

Result<std::unique_ptr<FactorTraining>> start_fpl(const TrainRequest& request, const Split& split,
                                                  Executor& executor, Storage* private_memory) {
  SOTTO_TRY(const Population population, fpl_population(request, split));
  const Fpl model(request.plan.fpl, split.catalogue, request.plan.seed);
  SOTTO_TRY(Protection protection, protect_rounds(request, split, population,
                                                  {model.shared_rows(), model.shared_width()}, executor));
  const auto start = [&](std::monostate) {
    return FplFederation(model, request.plan, population.schedule, split.train, executor,
                         request.wire ? Path::wire : Path::fast, private_memory);
  };
  return std::unique_ptr<FactorTraining>(
      std::make_unique<FplTraining>(population.schedule, std::move(protection), std::monostate(), start));
}

// Devices score with the rows they hold, which may have been rounded on their way.
Result<std::unique_ptr<Recommender>> view_fpl(const TrainRequest& request, const Split& /*split*/,
                                              const RowsView& rows, Executor& /*executor*/) {
  const FoldInOptions fold_in = fold_in_options(request);
  if (request.plan.down == ModelPrecision::f32)
    return std::unique_ptr<Recommender>(std::make_unique<MfRecommender>(&rows.users, &rows.items, fold_in));
  return std::unique_ptr<Recommender>(std::make_unique<MfRecommender>(
      &rows.users, as_published(rows.items, wire_precision(request.plan.down)), fold_in));
}

void add_fpl_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const double row = factor_row_bytes(request.plan.fpl.factors);
  const auto catalogue = static_cast<double>(facts.catalogue);
  add_factor_rows(request, facts, parts);
  add_who_has_what(facts, parts);
  add_row_sums(facts, catalogue, row, parts);
  // In the federation, and once more where they are judged.
  if (request.plan.down != ModelPrecision::f32)
    parts.push_back({"rows as devices hold them", 2.0 * catalogue * row});
}

void take_fpl(const Task& task, TrainRequest& request) {
  const auto& fpl = options_of<FplOptions>(task);
  request.plan.fpl = fpl;
  request.plan.triples = task.plan.triples;
  request.local = fpl.local;
  request.user_reg = fpl.user_reg;
  request.positive_reg = fpl.positive_reg;
  request.negative_reg = fpl.negative_reg;
}

std::string fpl_label(const TrainRequest& request) {
  const std::string variant = variant_of(request.plan);
  const std::size_t at = variant.find("fpl");
  if (at == std::string::npos) return fmt::format("FPL ({})", variant);
  return variant.substr(0, at) + "FPL" + variant.substr(at + 3);
}

void add_fpl_summary(const TrainRequest& request, const Split& split, const Trained& trained,
                     nlohmann::json& json) {
  json["variant"] = variant_of(request.plan);
  json["triples_per_visit"] = trained.schedule.triples;
  json["rounds_per_epoch"] = trained.schedule.rounds_per_epoch;
  // The papers' estimate of an epoch's and the whole training's traffic, in item vectors.
  const double epoch_vectors = trained.schedule.vectors_per_epoch(split.catalogue, request.plan.consent.pi);
  json["cce_vectors"] = epoch_vectors;
  json["tcc_vectors"] =
      epoch_vectors * static_cast<double>(trained.totals.rounds) / trained.schedule.rounds_per_epoch;
}

Fields fpl_fields() {
  using namespace fields;
  const char* group = "Federation";
  return {
      setter(
          {"federation.variant", "--variant", "NAME", "one of the papers' four: sets --cohort and --triples"},
          [](TrainRequest& request, const std::string& name) { return set_variant(request.plan, name); })
          .with_values({"sfpl", "sfpl+", "pfpl", "pfpl+"})
          .with_standard("pfpl+")
          .in_group(group),
      named({"federation.local", "--local", "KIND",
             "sequential: the vector moves after each triple; batch: once per visit"},
            [](auto& request) -> auto& { return request.plan.fpl.local; }, parse_local_steps,
            {"sequential", "batch"})
          .in_group(group),
      named({"federation.rounds_per_epoch", "--rounds-per-epoch", "RULE",
             "steps: as many triples as central BPR; exchanges: T times the work"},
            [](auto& request) -> auto& { return request.plan.rounds_per_epoch; }, parse_rounds_per_epoch,
            {"steps", "exchanges"})
          .in_group(group),
      unless_usual(named({"federation.down_precision", "--down-precision", "KIND",
                          "how devices receive the model: f32, f16, or i8 with a scale per row"},
                         [](auto& request) -> auto& { return request.plan.down; }, parse_model_precision,
                         {"f32", "f16", "i8"})
                       .in_group(group))};
}

}  // namespace

ModelEntry fpl_entry() {
  using namespace fields;
  return {.name = "fpl",
          .title = "FPL",
          .about = "matrix factorisation by ranking pairs, on devices",
          .sends = Sends::item_steps,
          .reveals = "steps of the rows of items, with consent for a share π of the consumed ones",
          .step = "triples",
          .fields = joined({{factors(), learning_rate(), epochs(), average_last(), user_reg(), positive_reg(),
                             negative_reg(), init_sd()},
                            fpl_fields(),
                            {cohort(), triples(), wire()},
                            federated_fields(),
                            noise_fields(),
                            criteria_fields()}),
          .start = start_fpl,
          .view = view_fpl,
          .shapes = factor_shapes,
          .of_task = take_fpl,
          .memory = add_fpl_memory,
          .memory_remedy = "keep private rows on the disk with --scratch DIR",
          .population = fpl_population,
          .has_user_rows = true,
          .scratch = true,
          .first_item_row = 0,
          .label = fpl_label,
          .summary = add_fpl_summary};
}

}  // namespace sotto::engine
