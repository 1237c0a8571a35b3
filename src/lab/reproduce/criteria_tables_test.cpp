#include "lab/reproduce/criteria_tables.h"

#include <gtest/gtest.h>

#include "lab/reproduce/criteria_plans.h"
#include "lab/reproduce/paper_data.h"

namespace sotto {
namespace {

TEST(CriteriaTables, TheFirstLookThatReachesTheValueCounts) {
  const std::vector<CurvePoint> curve{{.epoch = 1, .validation = 0.1},
                                      {.epoch = 2, .validation = {}},
                                      {.epoch = 3, .validation = 0.3},
                                      {.epoch = 4, .validation = 0.2}};
  EXPECT_EQ(first_epoch_reaching(curve, 0.1), 1u);
  EXPECT_EQ(first_epoch_reaching(curve, 0.15), 3u);
  EXPECT_EQ(first_epoch_reaching(curve, 0.4), std::nullopt);
}

TEST(CriteriaPlans, EachVariantIsThePlainPlanButForItsCriteria) {
  PaperData data;
  data.name = data.shown = std::string(movielens_1m);
  data.there = true;
  data.data.paths = {"folder/movielens-1m/ratings_ranked.tsv"};
  const auto studies = criteria_studies(criteria_target(), data, Effort::full);
  ASSERT_TRUE(studies.ok()) << studies.error().message;
  ASSERT_EQ(studies->size(), 3u) << "pFPL, KGFlex, Fed-CARS";
  for (const PlannedStudy& planned : *studies) {
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
}  // namespace sotto
