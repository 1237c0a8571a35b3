#include "lab/study/results_view.h"

#include <gtest/gtest.h>

namespace sotto::lab {
namespace {

TEST(ResultsView, SettingsGoByTheirShortNamesWhereThatIsClear) {
  CellPlace place;
  place.settings = {{"consent.pi", "0.5"}, {"model.lambda", "100"}};
  EXPECT_EQ(settings_text(place), "pi 0.5, lambda 100");
  place.settings = {{"consent.pi", "0.5"}, {"model.lr", "0.05"}, {"neural.lr", "0.001"}};
  EXPECT_EQ(settings_text(place), "pi 0.5, model.lr 0.05, neural.lr 0.001");
  place.settings = {{"seed", "3"}};
  EXPECT_EQ(settings_text(place), "seed 3");
  EXPECT_EQ(settings_text(CellPlace{}), "");
}

TEST(ResultsView, TheBestGroupHasTheLeastWhereLessIsBetter) {
  std::vector<StoredCell> cells(2);
  for (std::size_t n = 0; n < cells.size(); ++n) {
    cells[n].place.settings = {{"consent.pi", n == 0 ? "0.5" : "1.0"}};
    cells[n].result.done = true;
    const double value = n == 0 ? 1.0 : 2.0;
    cells[n].result.metrics = {{"ARP@10", value}, {"nDCG@10", value}};
  }
  const std::vector<SeedGroup> groups = by_seed(cells);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(best_groups(groups, "ARP@10").at(0).cells.front(), &cells[0]);
  EXPECT_EQ(best_groups(groups, "nDCG@10").at(0).cells.front(), &cells[1]);
}

}  // namespace
}  // namespace sotto::lab
