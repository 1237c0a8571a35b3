#include "lab/reproduce/targets.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "lab/reproduce/averaging_plans.h"
#include "lab/reproduce/cars_plans.h"
#include "lab/reproduce/criteria_plans.h"
#include "lab/reproduce/knowledge_plans.h"
#include "lab/reproduce/knowledge_print.h"
#include "lab/reproduce/paper_data.h"
#include "lab/reproduce/printed_values.h"

namespace sotto {

namespace {

constexpr std::array<std::string_view, 5> extras{"fedEASE", "fedEASE, recent", "fedALS", "EASE", "iALS"};

using Names = std::vector<std::string_view>;

Names foursquare() { return {brazil, canada, italy}; }
Names all_data() { return {amazon_dm, movielens_1m, italy, brazil, canada, librarything}; }
Names all_models() { return {paper_models.begin(), paper_models.end()}; }
Names fpl() { return {fpl_models.begin(), fpl_models.end()}; }

using enum TargetKind;
using enum PiGrid;

std::vector<Target> paper_tables() {
  const Names sac{"Random", "Top-Pop", "VAE", "BPR-MF", "FCF", "sFPL", "pFPL"};
  const Names sebd{"Random", "Top-Pop", "VAE", "BPR-MF", "FCF", "sFPL", "sFPL+", "pFPL", "pFPL+"};
  const Names both{"P@10", "R@10", "IC@10", "Gini@10"};
  return {
      {"sac21", "SAC'21, table 2: accuracy and diversity", scores, foursquare(), sac, both, positive},
      {"sebd21", "SEBD'21, table 2: accuracy and diversity", scores, foursquare(), sebd, both, positive},
      {"iir22", "IIR'22, table 1: accuracy", scores, foursquare(), all_models(), {"P@10", "R@10"}, positive},
  };
}

std::vector<Target> thesis_tables() {
  return {
      {"thesis-4.1",
       "Thesis, table 4.1: the datasets",
       datasets,
       all_data(),
       {},
       {"users", "items", "records"}},
      {"thesis-4.2",
       "Thesis, table 4.2: accuracy",
       scores,
       all_data(),
       all_models(),
       {"P@10", "R@10"},
       positive,
       true},
      {"thesis-4.3",
       "Thesis, table 4.3: beyond accuracy",
       scores,
       all_data(),
       all_models(),
       {"IC@10", "Gini@10"},
       positive,
       true},
      {"thesis-4.4",
       "Thesis, table 4.4: communication and precision over π",
       costs,
       {brazil},
       fpl(),
       {"TCC", "P@10"},
       positive,
       false,
       italy},
      {"thesis-4.5", "Thesis, table 4.5: bias of the population", source_bias, foursquare(), {"Top-Pop"}, {}},
      {"thesis-4.6",
       "Thesis, table 4.6: bias disparity",
       disparity,
       {brazil},
       all_models(),
       {},
       chosen,
       false,
       italy},
  };
}

std::vector<Target> thesis_figures() {
  const Names wide_data{amazon_dm, movielens_1m, librarything};
  const Names one_by_one{"sFPL", "sFPL+"};
  return {
      {"fig-4.2", "Thesis, figure 4.2: F1 over π", f1_over_pi, all_data(), fpl(), {"F1@10"}, positive},
      {"fig-4.3",
       "Thesis, figure 4.3: item coverage over precision along π",
       coverage_path,
       foursquare(),
       fpl(),
       {"IC@10", "P@10"},
       positive},
      {"fig-4.4",
       "Thesis, figure 4.4: updates of the 1,000 most updated items",
       updates,
       wide_data,
       one_by_one,
       {},
       with_zero},
      {"fig-4.5",
       "Thesis, figure 4.5: recommendations of the 250 most popular items",
       recommended,
       wide_data,
       one_by_one,
       {},
       with_zero},
      {"fig-4.6",
       "Thesis, figure 4.6: precision over communication",
       cost_front,
       {brazil},
       fpl(),
       {"TCC", "P@10"},
       positive,
       false,
       italy},
  };
}

std::vector<Target> knowledge_targets() {
  const Names data{facebook_books, yahoo_movies, movielens_liked};
  Names models{knowledge_models.begin(), knowledge_models.end()};
  models.push_back(tuned_kgflex);
  const Names metrics{knowledge_metrics.begin(), knowledge_metrics.end()};
  const Names variants{ablation_models.begin(), ablation_models.end()};
  std::vector<Target> all{
      {"thesis-6.1", "Thesis, table 6.1: accuracy, diversity and bias with knowledge", knowledge, data,
       models, metrics},
      {"thesis-6.2",
       "Thesis, table 6.2: what lists keep of people's features",
       preserved,
       data,
       {"KGFlex"},
       {}},
      {"fig-6.2",
       "Thesis, figure 6.2: hit ratio over Shannon entropy",
       entropy,
       data,
       models,
       {"HR@10", "SE@10"}},
      {"fig-6.3",
       "Thesis, figure 6.3: KGFlex by hops and length of vectors",
       ablation,
       {facebook_books, yahoo_movies, movielens_liked},
       variants,
       {"nDCG@10", "IC@10", "Gini@10"}},
      {"fig-6.4",
       "Thesis, figure 6.4: the most informative features before and after",
       word_clouds,
       {yahoo_named, movielens_liked},
       {"KGFlex"},
       {}},
  };
  for (Target& target : all) target.quick_datasets = {target.datasets.front()};
  all[1].quick_datasets = {facebook_books, yahoo_movies};  // the print is of Yahoo!
  return all;
}

}  // namespace

std::vector<Target> targets() {
  std::vector<Target> all = paper_tables();
  for (const auto& more :
       {thesis_tables(), thesis_figures(), averaging_targets(), knowledge_targets(), cars_targets()})
    all.insert(all.end(), more.begin(), more.end());
  all.push_back(criteria_target());
  return all;
}

Result<Target> find_target(const std::string& name) {
  std::string names;
  for (const Target& target : targets()) {
    if (target.name == name || target.name == "thesis-" + name) return target;
    names += fmt::format(", {}", target.name);
  }
  return fail(Code::usage,
              fmt::format("there is nothing called '{}' to reproduce: choose list{}", name, names));
}

bool is_knowledge_kind(TargetKind kind) {
  return kind == knowledge || kind == preserved || kind == entropy || kind == ablation || kind == word_clouds;
}

bool is_cars_kind(TargetKind kind) {
  return kind == cars_table || kind == participation || kind == cars_contexts || kind == protocols ||
         kind == cold_start;
}

bool is_averaging_kind(TargetKind kind) {
  return kind == reached_rounds || kind == mistakes || kind == accuracy_curves;
}

std::span<const std::string_view> extra_models() { return extras; }

bool is_fpl_label(std::string_view model) {
  return std::find(fpl_models.begin(), fpl_models.end(), model) != fpl_models.end();
}

bool is_federated_label(std::string_view model) {
  return is_fpl_label(model) || model == "FCF" || model.starts_with("fed");
}

}  // namespace sotto
