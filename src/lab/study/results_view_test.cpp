#include "lab/study/results_view.h"

#include <gtest/gtest.h>

namespace sotto {
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

}  // namespace
}  // namespace sotto
