#include "lab/reproduce/criteria_tables.h"

#include <gtest/gtest.h>

namespace sotto::lab {
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

// A row with nDCG@10 and its difference, ACLT@10, and epochs until the best without criteria.
PaperRow study_row(const char* label, double ndcg_gap, double tail, double epochs) {
  PaperRow row{label, "×3", std::vector<PaperCell>(7)};
  row.cells[1].ours = ndcg_gap;
  row.cells[1].interval = Interval{ndcg_gap - 0.01, ndcg_gap + 0.01};
  row.cells[2].ours = tail;
  row.cells[6].ours = epochs;
  return row;
}

std::vector<Finding> findings_of(const SeedGaps& best) {
  CriteriaTable table;
  table.shown.title = "here";
  table.shown.rows = {study_row("none", 0.0, 1.0, 8.0), study_row("size", 0.0, 1.2, 6.0),
                      study_row("novelty", -0.5, 3.0, 9.0)};
  table.gaps = {{}, best, {}};
  Reproduction out;
  add_criteria_findings({table}, out);
  return out.findings;
}

TEST(CriteriaTables, TheBestOfManyHoldsOnlyByItsInterval) {
  const auto sure = findings_of({.epochs = {2.0, 2.0, 2.1}, .tail = {0.2, 0.21, 0.19}});
  ASSERT_EQ(sure.size(), 2u);
  for (const Finding& finding : sure) {
    EXPECT_EQ(finding.outcome, ClaimOutcome::holds);
    EXPECT_NE(finding.evidence[0].find("with size (the best of 2"), std::string::npos) << finding.evidence[0];
  }
  for (const SeedGaps& unsure : {SeedGaps{{5.0, -1.0, 2.0}, {0.9, -0.3, 0.0}}, SeedGaps{{2.0}, {0.2}}})
    for (const Finding& finding : findings_of(unsure)) EXPECT_EQ(finding.outcome, ClaimOutcome::fails);
}

}  // namespace
}  // namespace sotto::lab
