#include "lab/reproduce/criteria_plans.h"

#include <fmt/core.h>

#include "lab/reproduce/cars_data.h"
#include "lab/reproduce/cars_plans.h"
#include "lab/reproduce/cars_print.h"
#include "lab/reproduce/knowledge_plans.h"

namespace sotto {

namespace {

constexpr std::string_view of_fpl = "pFPL", of_knowledge = "KGFlex";
constexpr double held_back = 0.2;
// One training with a look each epoch, on one core.
constexpr double quick_training_seconds = 4.0, full_training_seconds = 80.0;

// In place of all ratings, for --quick: those of the first 668 people, in their order of time.
constexpr const char* first_ratings = "ratings_first_100000_rows.dat";

Result<TrainRequest> plan_of(std::string_view dataset, std::string_view model) {
  if (model == of_fpl) return request_of(quick_plan(dataset, of_fpl));
  if (model == of_knowledge) return request_of(*knowledge_plan(movielens_liked, of_knowledge));
  return cars_request(movielens_100k, fed_cars);
}

std::uint32_t quick_epochs(std::string_view model) { return model == of_fpl ? 10 : 5; }

// The plan with a look at the validation part after each epoch; none ends the training.
Result<TrainRequest> looking_request(std::string_view dataset, std::string_view model, Effort effort) {
  SOTTO_TRY(TrainRequest request, plan_of(dataset, model));
  if (effort == Effort::quick) request.plan.epochs = quick_epochs(model);
  request.early = {.metric = "nDCG@10", .every = 1, .patience = request.plan.epochs};
  request.cutoffs = {10};
  return request;
}

// The file, or where it is missed.
Result<std::string> path_of(const std::filesystem::path& folder, const char* name) {
  SOTTO_TRY(const std::string found, plain_or_packed(folder, name));
  return found.empty() ? (folder / name).string() : found;
}

// What is known of the films, beside their ratings; of music nothing is.
Status add_what_is_known(std::string_view model, Effort effort, DataRequest& data) {
  const std::filesystem::path folder = std::filesystem::path(data.paths.front()).parent_path();
  SOTTO_TRY(const std::string names, path_of(folder, "movies.dat"));
  data.names = {names};
  if (effort == Effort::quick) {
    SOTTO_TRY(const std::string few, path_of(folder, first_ratings));
    data.paths = {few};
  }
  if (model != of_knowledge) return Done{};
  const std::filesystem::path films = folder.parent_path() / "kg-movielens-1m";
  SOTTO_TRY(const std::string triples, path_of(films, "dbpedia_1hop_11_predicates.tsv"));
  SOTTO_TRY(const std::string links, path_of(films, "dbpedia_linking.tsv"));
  data.kg.paths = {triples};
  data.kg.links = {links};
  data.kg.depth = 1;
  return Done{};
}

}  // namespace

Target criteria_target() {
  return {"criteria-recommenders",
          "Criteria for recommenders: do they speed convergence, or help the tail?",
          TargetKind::criteria,
          {movielens_1m, amazon_dm},
          {of_fpl, of_knowledge, fed_cars},
          {"nDCG@10", "ACLT@10", "PopREO@10", "Gini@10"},
          PiGrid::chosen,
          false,
          {},
          {movielens_1m}};
}

std::vector<std::string_view> criteria_models(std::string_view dataset) {
  if (dataset == amazon_dm) return {of_fpl, fed_cars};
  return {of_fpl, of_knowledge, fed_cars};
}

std::vector<CriteriaVariant> criteria_variants(std::string_view dataset, std::string_view model,
                                               Effort effort) {
  std::vector<CriteriaVariant> variants{
      {"none", ""}, {"size", "size"}, {"novelty", "novelty"}, {"size, then novelty", "size>novelty"}};
  if (effort == Effort::quick) return variants;
  variants.push_back({"novelty, then size", "novelty>size"});
  variants.push_back({"mean of size and novelty", "size>novelty", "mean"});
  if (dataset != amazon_dm) {
    variants.push_back({"diversity", "diversity"});
    variants.push_back({"diversity, then size and novelty", "diversity>size>novelty"});
  }
  // With everybody in each round all are equally recent.
  if (model != of_fpl) variants.push_back({"recency", "recency"});
  if (model != fed_cars) variants.push_back({"closeness", "closeness"});
  return variants;
}

std::string criteria_label(std::string_view model, const CriteriaVariant& variant) {
  return fmt::format("{}, {}", model, variant.label);
}

Result<std::vector<PlannedStudy>> criteria_studies(const Target& target, const PaperData& data,
                                                   Effort effort) {
  std::vector<PlannedStudy> studies;
  for (const std::string_view model : criteria_models(data.name)) {
    PlannedStudy planned;
    planned.dataset = data.name;
    planned.study.name = fmt::format("{} {}: {}, {}", target.name, to_string(effort), data.shown, model);
    DataRequest known = data.data;
    known.split.validation_share = held_back;
    if (data.name != amazon_dm) SOTTO_TRY_DONE(add_what_is_known(model, effort, known));
    planned.study.datasets = {{data.name, known, ""}};
    const std::uint32_t usual = effort == Effort::quick ? 2 : 3;
    planned.study.seeds.clear();
    for (std::uint64_t seed = 1; seed <= (target.seeds > 0 ? target.seeds : usual); ++seed)
      planned.study.seeds.push_back(seed);
    SOTTO_TRY(const TrainRequest plain, looking_request(data.name, model, effort));
    for (const CriteriaVariant& variant : criteria_variants(data.name, model, effort)) {
      TrainRequest request = plain;
      request.criteria.order = variant.order;
      request.criteria.score = variant.score;
      planned.study.models.push_back({criteria_label(model, variant), request, {}, ""});
      planned.core_seconds += (effort == Effort::quick ? quick_training_seconds : full_training_seconds) *
                              static_cast<double>(planned.study.seeds.size());
    }
    studies.push_back(std::move(planned));
  }
  return studies;
}

}  // namespace sotto
