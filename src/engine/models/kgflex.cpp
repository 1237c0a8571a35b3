// KGFlex: factors of features, of which each person keeps the most telling; on devices and in one place.
#include "engine/models/kgflex.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/models/all_models.h"
#include "engine/plan/shared_fields.h"
#include "engine/protect/training_consent.h"
#include "engine/train/central_training.h"
#include "engine/train/federated_training.h"
#include "engine/train/memory_plan.h"
#include "engine/train/released_rows.h"
#include "engine/train/training.h"
#include "model/kgflex/kgflex_central.h"
#include "model/kgflex/kgflex_recommender.h"
#include "privacy/feature_consent.h"

namespace sotto::engine {

namespace {

constexpr float adam_rate = 0.02f;

KgflexOptions kgflex_options(const TrainRequest& request) {
  const ServerStep step = request.server.step.value_or(ServerStep::sgd);
  const float usual = step == ServerStep::adam ? adam_rate : request.plan.fpl.learning_rate;
  return {.factors = request.plan.fpl.factors,
          .learning_rate = request.plan.fpl.learning_rate,
          .personal_reg = request.user_reg.value_or(0.0f),
          .shared_reg = request.positive_reg.value_or(0.0f),
          .init_sd = request.plan.fpl.init_sd,
          .local = request.local.value_or(LocalSteps::batch),
          .pairs = request.plan.triples,
          .seed = request.plan.seed,
          .server = {.step = step,
                     .rate = request.server.rate.value_or(usual),
                     .beta1 = request.server.beta1,
                     .beta2 = request.server.beta2}};
}

Status check_kgflex(const TrainRequest& request) {
  const KgflexSettings& own = request.model.own<KgflexSettings>();
  if (own.all_features && (own.first_hop || own.second_hop))
    return fail(Code::usage, "all features and a limit of features contradict each other: give one of them");
  SOTTO_TRY_DONE(check(profile_options(request)));
  return check(kgflex_options(request));
}

std::unique_ptr<Recommender> seen_kgflex(const Kgflex& model, const RowMatrix& users,
                                         const RowMatrix& items) {
  return std::make_unique<KgflexRecommender>(model, &users, &items);
}

std::unique_ptr<Recommender> seen_central(const KgflexCentral& model, const RowMatrix& users,
                                          const RowMatrix& items) {
  return seen_kgflex(model.model(), users, items);
}

Result<std::unique_ptr<FactorTraining>> start_kgflex(const TrainRequest& request, const Split& split,
                                                     Executor& executor, Storage* /*memory*/) {
  SOTTO_TRY(const Kgflex model, make_kgflex(request, split, executor));
  return start_history_model(model, request, split, executor, split.train, seen_kgflex);
}

Result<std::unique_ptr<FactorTraining>> start_central_kgflex(const TrainRequest& request, const Split& split,
                                                             Executor& executor, Storage* /*memory*/) {
  SOTTO_TRY(Kgflex model, make_kgflex(request, split, executor));
  return std::unique_ptr<FactorTraining>(std::make_unique<CentralTraining<KgflexCentral>>(
      std::make_unique<KgflexCentral>(std::move(model)), request.plan.epochs, executor, seen_central));
}

// From what a run holds: profiles are made again from the histories.
Result<std::unique_ptr<Recommender>> view_kgflex(const TrainRequest& asked, const Split& split,
                                                 const RowsView& rows, Executor& executor) {
  SOTTO_TRY(const TrainRequest request, with_people(asked, split));
  SOTTO_TRY(const Kgflex model, make_kgflex(request, split, executor));
  const MatrixShape own{split.users.size(), model.private_width()};
  if (shape_of(rows.items) != MatrixShape{model.shared_rows(), model.shared_width()} ||
      shape_of(rows.users) != own || !rows.layers.empty())
    return fail(Code::bad_input, "the model does not fit its plan and its features: train again");
  return seen_kgflex(model, rows.users, rows.items);
}

// A row a feature, by its name.
Result<Parameters> kgflex_of_rows(const ReleasedRows& released, const TrainRequest& asked, const Split& split,
                                  Executor& executor) {
  const std::vector<std::uint32_t> at = features_at(released.known, *split.features);
  if (std::ranges::all_of(at, [](std::uint32_t one) { return one == no_row; }))
    return fail(Code::usage, fmt::format("none of the {} features of the data is one that task '{}' learns "
                                         "from: give --kg what its catalogue was made of",
                                         at.size(), released.task.name));
  SOTTO_TRY(const TrainRequest request, with_people(asked, split));
  SOTTO_TRY(const Kgflex model, make_kgflex(request, split, executor));
  Parameters made{.items = placed(released.rows, at), .users = {}};
  const RowMatrix nobody;
  const KgflexRecommender seen(model, &nobody, &made.items);
  made.users = Private(rows_of_people(split, model.private_width(), executor,
                                      [&](UserIndex user) { return seen.fold_in(user); }));
  return made;
}

void add_kgflex_memory(const TrainRequest& request, const MemoryFacts& facts,
                       std::vector<MemoryPart>& parts) {
  const double row = factor_row_bytes(request.plan.fpl.factors);
  const auto features = static_cast<double>(facts.features);
  // A private row for each feature of the longest profile, which may be as long as it is allowed to be.
  double longest = 0.0;
  for (const std::uint32_t most : profile_options(request).most) longest += most;
  const double own = std::min(longest, features) * row * static_cast<double>(facts.users);
  add_rows(request, facts, row * features, own, parts);
  add_who_has_what(facts, parts);
  if (request.model->federated()) add_row_sums(facts, features, row, parts);
}

Fields kgflex_fields() {
  using namespace fields;
  const auto count = [](const char* key, const char* flag, const char* help, auto member) {
    return field({std::string("kgflex.") + key, flag, "N", help}, own(member)).in_group("Model");
  };
  return {
      factors(),
      learning_rate(),
      epochs(),
      user_reg().with_standard("0"),
      positive_reg().with_help("λ of the features' shared rows").with_standard("0"),
      init_sd(),
      triples(),
      named({"federation.local", "--local", "KIND",
             "sequential: the rows move after each pair; batch: once per visit"},
            [](auto& request) -> auto& { return request.local; }, parse_local_steps, {"sequential", "batch"})
          .with_standard("batch")
          .of_scope("kgflex")
          .in_group("Federation"),
      named({"kgflex.gain", "--gain", "NAME", "how a feature's gain is measured"}, own(&KgflexSettings::gain),
            parse_gain, {"information", "gini", "ratio"})
          .in_group("Model"),
      count("first_hop", "--first-hop", "features of one hop that a person keeps, best gain first",
            &KgflexSettings::first_hop)
          .with_standard("100"),
      count("second_hop", "--second-hop", "features of two hops that a person keeps",
            &KgflexSettings::second_hop)
          .with_standard("100"),
      toggle({"kgflex.all_features", "--all-features", "", "keep every feature with a gain"},
             own(&KgflexSettings::all_features))
          .in_group("Model"),
      count("negatives", "--gain-negatives", "negatives per consumed item for measuring a gain",
            &KgflexSettings::negatives),
      field({"kgflex.min_gain", "--min-gain", "GAIN", "keep only features with a gain above this"},
            own(&KgflexSettings::min_gain))
          .in_group("Model")};
}

ModelEntry kgflex_like(ModelEntry entry) {
  entry.needs_features = true;
  entry.own = KgflexSettings{};
  entry.check = check_kgflex;
  entry.view = view_kgflex;
  entry.memory = add_kgflex_memory;
  entry.memory_remedy = "keep fewer features per person with --first-hop and --second-hop";
  return entry;
}

}  // namespace

ProfileOptions profile_options(const TrainRequest& request) {
  const KgflexSettings& asked = request.model.own<KgflexSettings>();
  ProfileOptions options;
  options.gain = asked.gain;
  const std::array limits{asked.first_hop, asked.second_hop};
  for (std::size_t hop = 0; hop < limits.size(); ++hop)
    options.most[hop] = asked.all_features ? ProfileOptions::all : limits[hop].value_or(options.most[hop]);
  options.negatives = asked.negatives;
  options.least_gain = asked.min_gain;
  options.seed = request.plan.seed;
  return options;
}

Result<Kgflex> make_kgflex(const TrainRequest& request, const Split& split, Executor& executor) {
  if (split.features == nullptr)
    return fail(Code::usage,
                "KGFlex needs features of the items: give a knowledge graph or a list of features with --kg");
  auto devices = std::make_shared<const KgflexDevices>(
      split.features, shareable(request.plan.consent, split.train), split.catalogue, profile_options(request),
      keeps_back(request.plan.consent), executor);
  return Kgflex(kgflex_options(request), std::move(devices));
}

ModelEntry kgflex_entry() {
  using namespace fields;
  return kgflex_like({.name = "kgflex",
                      .title = "KGFlex",
                      .about = "factors of the features of items (Anelli et al. 2021)",
                      .sends = Sends::shared_steps,
                      .reveals = "steps of the rows of the person's features",
                      .fields = joined({kgflex_fields(),
                                        {cohort(), wire()},
                                        server_step("sgd"),
                                        federated_fields(),
                                        noise_fields(),
                                        criteria_fields()}),
                      .start = start_kgflex,
                      .of_rows = kgflex_of_rows,
                      .population = people_with_histories,
                      .names_drawn_items = true});
}

ModelEntry kgflex_central_entry() {
  return kgflex_like({.name = "kgflex-central",
                      .title = "KGFlex, central",
                      .about = "KGFlex with all data in one place",
                      .fields = kgflex_fields(),
                      .start = start_central_kgflex});
}

}  // namespace sotto::engine
