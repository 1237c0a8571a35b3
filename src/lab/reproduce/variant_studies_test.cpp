
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lab/reproduce/printed_table.h"
#include "lab/reproduce/studies.h"

namespace sotto::lab {
namespace {

PaperData rated_data(std::string_view name) {
  PaperData data;
  data.name = data.shown = std::string(name);
  data.there = true;
  data.data.paths = {"somewhere"};
  data.data.contexts.of = {"all"};
  return data;
}

Target cars_target(const std::string& name) { return find_target(name).value(); }

TEST(CarsPlans, every_row_of_the_table_is_trained) {
  const Target table = cars_target("fedcars-table-1");
  for (const std::string_view dataset : table.datasets) {
    std::set<std::string> trained;
    const auto studies = cars_studies(table, rated_data(dataset), Effort::full).value();
    for (const PlannedStudy& planned : studies)
      for (const StudyModel& model : planned.study.models) trained.insert(model.label);
    for (const PrintedTable::Row& row : printed("cars/rows.tsv").rows())
      for (const std::string& model : {row.keys[1], row.keys[2]})
        EXPECT_TRUE(model.empty() || trained.contains(model)) << model;
  }
}

TEST(CarsPlans, seeds_are_three_or_one_or_as_told) {
  Target figure = cars_target("fedcars-fig-3");
  const PaperData data = rated_data("MovieLens 100K");
  EXPECT_EQ(cars_studies(figure, data, Effort::full)->front().study.seeds.size(), 3u);
  EXPECT_EQ(cars_studies(figure, data, Effort::quick)->front().study.seeds.size(), 1u);
  figure.seeds = 5;
  EXPECT_EQ(cars_studies(figure, data, Effort::quick)->front().study.seeds.size(), 5u);
}

// Where the test part is drawn, each seed draws another: then all models need all seeds.
TEST(CarsPlans, models_without_draws_run_once_on_one_split) {
  const Target table = cars_target("fedcars-table-1");
  PaperData data = rated_data("MovieLens 100K");
  const auto runs_of = [&](std::string_view label) {
    std::size_t runs = 0;
    for (const PlannedStudy& planned : cars_studies(table, data, Effort::full).value())
      for (const StudyModel& model : planned.study.models)
        if (model.label == label) runs += planned.study.seeds.size();
    return runs;
  };
  EXPECT_EQ(runs_of("Item mean"), 1u);
  EXPECT_EQ(runs_of("Fed-CARS"), 3u);
  data.data.split.most_test = 20;
  EXPECT_EQ(runs_of("Item mean"), 3u);
}

TEST(CarsPlans, contexts_of_figure_4_are_switched_one_by_one) {
  const auto studies =
      cars_studies(cars_target("fedcars-fig-4"), rated_data("MovieLens 100K"), Effort::full).value();
  ASSERT_EQ(studies.size(), 4u);
  std::set<std::string> looked_at;
  for (const PlannedStudy& planned : studies) {
    const ContextRequest& contexts = planned.study.datasets.front().data.contexts;
    EXPECT_TRUE(check(contexts).ok());
    // Ages count where people's contexts do.
    for (const StudyModel& model : planned.study.models)
      EXPECT_EQ(model.request.recency > 0.0f, contexts.asks_for("recency") || contexts.asks_for("all"));
    for (const std::string& one : contexts.of) EXPECT_TRUE(looked_at.insert(one).second) << one;
  }
}

TEST(CarsPlans, figure_4_ends_where_the_plan_does) {
  const Paper& paper = *cars_target("fedcars-fig-4").paper;
  for (const char* dataset : {"MovieLens 100K", "MovieLens latest-small"})
    for (const Effort effort : {Effort::quick, Effort::full}) {
      const auto epochs = curve_epochs(paper, dataset, effort).value();
      EXPECT_TRUE(std::is_sorted(epochs.begin(), epochs.end()));
      EXPECT_EQ(epochs.back(), own_request(paper, dataset)->plan.epochs);
    }
}

TEST(CarsPlans, protocols_say_who_lets_all_in) {
  const Target target = cars_target("fedcars-udcp");
  const auto variants = variants_of(target, "MovieLens 100K", "Fed-CARS", Effort::full);
  ASSERT_EQ(variants.size(), target.models.size());
  for (const Variant* variant : variants) {
    const TrainRequest request = variant->plan(own_request(*target.paper, "MovieLens 100K").value()).value();
    EXPECT_TRUE(check(request.consent, ConsentPolicy{}).ok()) << variant->label;
    EXPECT_EQ(variant->x == 100.0, variant->others.empty()) << variant->label;
    EXPECT_EQ(request.consent.udcp.empty(), variant->others != "none" && variant->others != "partial");
  }
}

TEST(CriteriaPlans, EachVariantIsThePlainPlanButForItsCriteria) {
  PaperData data = rated_data("MovieLens 1M");
  data.data.paths = {"folder/movielens-1m/ratings_ranked.tsv"};
  const auto studies = criteria_studies(*find_target("criteria-recommenders"), data, Effort::full);
  ASSERT_TRUE(studies.ok()) << studies.error().message;
  ASSERT_EQ(studies->size(), 3u) << "pFPL, KGFlex, Fed-CARS";
  for (const PlannedStudy& planned : *studies) {
    const DataRequest& known = planned.study.datasets.front().data;
    EXPECT_EQ(known.names, std::vector<std::string>{"folder/movielens-1m/movies.dat"});
    const TrainRequest& plain = planned.study.models.front().request;
    EXPECT_FALSE(plain.criteria.asked());
    EXPECT_GT(plain.early.patience, 0u) << "a curve needs looks";
    for (StudyModel model : planned.study.models) {
      model.request.criteria = {};
      EXPECT_EQ(to_toml(model.request), to_toml(plain)) << model.label;
    }
  }
}

}  // namespace
}  // namespace sotto::lab
