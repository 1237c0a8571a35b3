#include "lab/reproduce/cars_plans.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "lab/reproduce/cars_data.h"
#include "lab/reproduce/cars_print.h"

namespace sotto {

namespace {

struct CarsPlan {
  std::string_view dataset;  // empty: any
  std::string_view model;
  bool drawn;      // whether the seed decides anything beside the split
  double seconds;  // of one cell, on one core
  std::string_view toml;
};

// The baselines are those of CaseRecommender (neighbours: the root of the number of people or items) where
// the paper tells nothing; those of ratings were tried on a validation part of MovieLens 100K
// (docs/models.md).
constexpr std::array stored_cars_plans{
    CarsPlan{"", fed_cars, true, 6,
             R"(model = {name = "fedcars", factors = 20, epochs = 20, recency = 100}
federation = {cohort = 0.1}
fedcars = {few_share = 0.0})"},
    CarsPlan{movielens_latest, fed_cars, true, 11,
             R"(model = {name = "fedcars", factors = 20, epochs = 40, recency = 100}
federation = {cohort = 0.1, server_lr = 0.0015}
[fedcars]
few_share = 0.0
query_share = 0.3
own_reg = 0.01
shared_reg = 0.15
error_bend = 4.0
negatives = 8
choice_rate = 4.0
choice_shared_reg = 0.0015)"},
    CarsPlan{"", "NMF", true, 1, R"(model = {name = "nmf", factors = 10, epochs = 50})"},
    CarsPlan{"", "BPR-MF", true, 1, R"(model = {name = "bprmf", factors = 10, lr = 0.05, epochs = 30})"},
    CarsPlan{"", "POP", false, 1, R"(model = {name = "toppop-ratings"})"},
    CarsPlan{"", "User-KNN", false, 1, R"(model = {name = "userknn"}
knn = {neighbors = 30})"},
    CarsPlan{"", "User-KNN, ratings", false, 1, R"(model = {name = "uknn-ratings"}
knn = {neighbors = 30})"},
    CarsPlan{"", "Item-KNN", false, 1, R"(model = {name = "itemknn"}
knn = {neighbors = 40})"},
    CarsPlan{"", "Item-KNN, ratings", false, 2, R"(model = {name = "iknn-ratings"}
knn = {neighbors = 40})"},
    CarsPlan{"", "PaCo", true, 1, R"(model = {name = "paco"})"},
    CarsPlan{"", "User mean", false, 1, R"(model = {name = "usermean"})"},
    CarsPlan{"", "Item mean", false, 1, R"(model = {name = "itemmean"})"},
    CarsPlan{"", "Biases", false, 1, R"(model = {name = "baseline"})"},
    CarsPlan{"", "Biased MF", true, 1, R"(model = {name = "biasedmf"})"},
    CarsPlan{"", "SVD++", true, 3, R"(model = {name = "svdpp"})"},
};

const CarsPlan& cars_plan(std::string_view dataset, std::string_view model) {
  const CarsPlan* found = nullptr;
  for (const CarsPlan& plan : stored_cars_plans)
    if (plan.model == model &&
        (plan.dataset == printed_set(dataset) || (plan.dataset.empty() && found == nullptr)))
      found = &plan;
  SOTTO_ASSERT(found != nullptr, "every model has a plan for any data");
  return *found;
}

std::vector<std::uint64_t> seeds_for(const Target& target, Effort effort) {
  const std::uint32_t usual = effort == Effort::quick ? 1 : 3;
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 1; seed <= (target.seeds > 0 ? target.seeds : usual); ++seed)
    seeds.push_back(seed);
  return seeds;
}

PlannedStudy begin_cars(const Target& target, const PaperData& data, Effort effort,
                        std::string_view purpose) {
  PlannedStudy planned;
  planned.study.name = fmt::format("{} {}: {}, {}", target.name, to_string(effort), data.shown, purpose);
  planned.study.datasets = {{data.name, data.data, ""}};
  planned.study.seeds = seeds_for(target, effort);
  planned.dataset = data.name;
  return planned;
}

void add_cell(PlannedStudy& planned, std::string label, const TrainRequest& request, double seconds) {
  planned.study.models.push_back({std::move(label), request, {}, ""});
  planned.core_seconds += seconds * static_cast<double>(planned.study.seeds.size());
}

// Fed-CARS where only predicted ratings are looked at: without the half that learns choices.
Result<TrainRequest> rating_request(std::string_view dataset) {
  SOTTO_TRY(TrainRequest request, cars_request(dataset, fed_cars));
  request.fedcars.choices = false;
  return request;
}

// A third of the work.
double rating_seconds(std::string_view dataset) { return cars_plan(dataset, fed_cars).seconds / 3.0; }

Status add_table(const Target& target, const PaperData& data, PlannedStudy& once, PlannedStudy& drawn) {
  const bool other_split = data.data.split.most_test > 0;
  for (const std::string_view model : target.models) {
    const CarsPlan& plan = cars_plan(data.name, model);
    SOTTO_TRY(const TrainRequest request, cars_request(data.name, model));
    add_cell(plan.drawn || other_split ? drawn : once, std::string(model), request, plan.seconds);
  }
  return Done{};
}

Result<std::vector<PlannedStudy>> table_studies(const Target& target, const PaperData& data, Effort effort) {
  PlannedStudy once = begin_cars(target, data, effort, "nothing drawn");
  once.study.seeds = {1};
  PlannedStudy drawn = begin_cars(target, data, effort, "drawn");
  SOTTO_TRY_DONE(add_table(target, data, once, drawn));
  std::vector<PlannedStudy> studies;
  for (PlannedStudy* planned : {&drawn, &once})
    if (!planned->study.models.empty()) studies.push_back(std::move(*planned));
  return studies;
}

// Each choice of contexts is another split of the same data, and so a study of its own.
Result<std::vector<PlannedStudy>> context_studies(const Target& target, const PaperData& data,
                                                  Effort effort) {
  std::vector<PlannedStudy> studies;
  SOTTO_TRY(const std::vector<std::uint32_t> looks, curve_epochs(data.name, effort));
  for (const ContextVariant& variant : context_variants()) {
    PlannedStudy planned = begin_cars(target, data, effort, variant.label);
    ContextRequest& contexts = planned.study.datasets.front().data.contexts;
    contexts.of = variant.of;
    if (variant.label == "user" && !contexts.people.empty()) contexts.of.emplace_back("person");
    if (variant.label != "user" && variant.label != "both") contexts.people.clear();
    const CarsPlan& plan = cars_plan(data.name, fed_cars);
    SOTTO_TRY(TrainRequest request, cars_request(data.name, fed_cars));
    if (variant.label == "none" || variant.label == "item") request.recency = 0.0f;
    for (auto epoch = looks.rbegin(); epoch != looks.rend(); ++epoch) {
      const double share = *epoch / static_cast<double>(std::max(1u, request.plan.epochs));
      TrainRequest at = request;
      at.plan.epochs = *epoch;
      add_cell(planned, curve_label(variant.label, *epoch), at, plan.seconds * share);
    }
    studies.push_back(std::move(planned));
  }
  return studies;
}

Status add_shares(const PaperData& data, Effort effort, PlannedStudy& planned) {
  for (const double share : participation_shares(effort)) {
    SOTTO_TRY(TrainRequest request, rating_request(data.name));
    request.fedcars.participation = share;
    add_cell(planned, share_label(share), request, rating_seconds(data.name) * share);
  }
  return Done{};
}

Status add_protocols(const PaperData& data, PlannedStudy& planned) {
  for (const ProtocolVariant& variant : protocol_variants()) {
    SOTTO_TRY(TrainRequest request, rating_request(data.name));
    request.consent.udcp = variant.udcp;
    request.consent.mix = variant.mix;
    request.consent.policy = variant.policy;
    add_cell(planned, std::string(variant.label), request, rating_seconds(data.name));
  }
  return Done{};
}

Status add_cold_models(const PaperData& data, PlannedStudy& planned) {
  SOTTO_TRY(TrainRequest request, rating_request(data.name));
  request.fedcars.few_share = FedcarsRequest{}.few_share;  // somebody new is played in training
  request.fedcars.participation = cold_start_participation;
  // It is trained once more for its predictions.
  add_cell(planned, std::string(cold_start_model), request, 2.0 * rating_seconds(data.name));
  return Done{};
}

}  // namespace

std::vector<Target> cars_targets() {
  using Names = std::vector<std::string_view>;
  const Names clean{movielens_100k, movielens_latest};
  const Names both{movielens_100k_drawn, movielens_latest_drawn, movielens_100k, movielens_latest};
  Names models;
  for (const CarsPlan& plan : stored_cars_plans)
    if (plan.dataset.empty()) models.push_back(plan.model);
  static const std::vector<std::string> labels = [] {
    std::vector<std::string> all;
    for (const double share : participation_shares(Effort::quick)) all.push_back(share_label(share));
    return all;
  }();
  Names protocols;
  for (const ProtocolVariant& variant : protocol_variants()) protocols.push_back(variant.label);
  const Names metrics{cars_metrics.begin(), cars_metrics.end()};
  return {
      {"fedcars-table-1", "Fed-CARS, table 1: errors and lists", TargetKind::cars_table, both, models,
       metrics},
      {"fedcars-fig-3",
       "Fed-CARS, figure 3: errors over the share of people who take part",
       TargetKind::participation,
       clean,
       {labels.begin(), labels.end()},
       {"MAE", "RMSE"}},
      {"fedcars-fig-4",
       "Fed-CARS, figure 4: what contexts bring, over the rounds",
       TargetKind::cars_contexts,
       clean,
       {},
       {"MAE", "RMSE", "nDCGhits@10"},
       PiGrid::chosen,
       false,
       {},
       {movielens_100k}},
      {"fedcars-udcp",
       "Fed-CARS: what people's own protocols cost",
       TargetKind::protocols,
       clean,
       protocols,
       {"MAE"}},
      {"fedcars-cold-start",
       "Fed-CARS: somebody new with a few ratings",
       TargetKind::cold_start,
       clean,
       {cold_start_model},
       {"MAE"}},
  };
}

const std::vector<ContextVariant>& context_variants() {
  static const std::vector<ContextVariant> variants{
      {"both", {"all"}},
      {"user", {"interval", "recency"}},
      {"item", {"daypart", "item"}},
      {"none", {"none"}},
  };
  return variants;
}

Result<std::vector<std::uint32_t>> curve_epochs(std::string_view dataset, Effort effort) {
  SOTTO_TRY(const TrainRequest request, cars_request(dataset, fed_cars));
  std::vector<std::uint32_t> epochs =
      effort == Effort::quick ? std::vector<std::uint32_t>{5} : std::vector<std::uint32_t>{2, 5, 10, 15};
  std::erase_if(epochs, [&](std::uint32_t epoch) { return epoch >= request.plan.epochs; });
  epochs.push_back(request.plan.epochs);
  return epochs;
}

std::string curve_label(std::string_view variant, std::uint32_t epoch) {
  return fmt::format("{}, epoch {}", variant, epoch);
}

std::vector<double> participation_shares(Effort effort) {
  if (effort == Effort::quick) return {0.1, 0.2, 0.5, 1.0};
  return {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
}

std::string share_label(double share) { return fmt::format("{:.0f}%", 100.0 * share); }

const std::vector<ProtocolVariant>& protocol_variants() {
  static const std::vector<ProtocolVariant> variants{
      {"100% full", "", "", "", "", 1.0},
      {"75% full, partial", "full=0.75,partial=0.25", "", "", "partial", 0.75},
      {"50% full, partial", "full=0.5,partial=0.5", "", "", "partial", 0.5},
      {"25% full, partial", "full=0.25,partial=0.75", "", "", "partial", 0.25},
      {"100% partial", "partial=1", "", "", "partial", 0.0},
      {"75% full, none", "full=0.75,none=0.25", "", "", "none", 0.75},
      {"50% full, none", "full=0.5,none=0.5", "", "", "none", 0.5},
      {"25% full, none", "full=0.25,none=0.75", "", "", "none", 0.25},
      {"100% none", "none=1", "", "", "none", 0.0},
      {"history: half", "", "", "level = \"open\"\nhistory = 0.5\n", "half the history", 0.0},
      {"history: fifth", "", "", "level = \"open\"\nhistory = 0.2\n", "a fifth of it", 0.0},
      {"no history: 25%", "", "open=0.75,closed=0.25", "", "no history", 0.75},
      {"no history: 50%", "", "open=0.5,closed=0.5", "", "no history", 0.5},
  };
  return variants;
}

Result<TrainRequest> cars_request(std::string_view dataset, std::string_view model) {
  return from_toml(std::string(cars_plan(dataset, model).toml), fmt::format("the plan of {}", model));
}

Result<std::vector<PlannedStudy>> cars_studies(const Target& target, const PaperData& data, Effort effort) {
  if (target.kind == TargetKind::cars_table) return table_studies(target, data, effort);
  if (target.kind == TargetKind::cars_contexts) return context_studies(target, data, effort);
  PlannedStudy planned = begin_cars(target, data, effort, "Fed-CARS");
  if (target.kind == TargetKind::participation) {
    SOTTO_TRY_DONE(add_shares(data, effort, planned));
  } else if (target.kind == TargetKind::protocols) {
    SOTTO_TRY_DONE(add_protocols(data, planned));
  } else {
    SOTTO_TRY_DONE(add_cold_models(data, planned));
  }
  std::vector<PlannedStudy> studies;
  studies.push_back(std::move(planned));
  return studies;
}

}  // namespace sotto
