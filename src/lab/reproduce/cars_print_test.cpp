#include "lab/reproduce/cars_print.h"

#include <gtest/gtest.h>

#include "lab/reproduce/cars_data.h"

namespace sotto {
namespace {

TEST(CarsPrint, known_cells) {
  EXPECT_EQ(printed_cars(movielens_100k, fed_cars, "MAE"), .7869);
  EXPECT_EQ(printed_cars(movielens_100k, fed_cars, "RMSE"), .9593);
  EXPECT_EQ(printed_cars(movielens_100k, "Item-KNN", "RMSE"), 1.0794);
  EXPECT_EQ(printed_cars(movielens_latest, fed_cars, "MAE"), .7088);
  EXPECT_EQ(printed_cars(movielens_latest, "BPR/NMF", "nDCGhits@10"), .4399);
  EXPECT_EQ(printed_cars(printed_set(movielens_latest_drawn), "PaCo", "nDCGhits@10"), .3632);
  EXPECT_FALSE(printed_cars(movielens_100k, "PaCo", "MAE").has_value());
  EXPECT_FALSE(printed_cars(movielens_100k, fed_cars, "nDCG@10").has_value());
  EXPECT_FALSE(printed_cars(movielens_100k, "SVD++", "MAE").has_value());
}

// What any such table obeys, and what the paper says of its own.
TEST(CarsPrint, table_obeys_its_metrics) {
  for (const std::string_view dataset : {movielens_100k, movielens_latest})
    for (const CarsRow& row : cars_rows()) {
      const auto mae = printed_cars(dataset, row.label, "MAE"),
                 rmse = printed_cars(dataset, row.label, "RMSE"),
                 ndcg = printed_cars(dataset, row.label, "nDCGhits@10");
      EXPECT_EQ(ndcg.has_value(), row.printed) << row.label;
      EXPECT_EQ(mae.has_value(), row.printed && !row.rates.empty()) << row.label;
      if (mae) {
        EXPECT_LT(*mae, *rmse) << row.label;
      }
      if (ndcg && row.label != fed_cars) {
        EXPECT_LT(*ndcg, *printed_cars(dataset, fed_cars, "nDCGhits@10")) << row.label;
      }
    }
}

TEST(CarsData, both_protocols_of_a_set_differ_in_what_is_judged_alone) {
  EXPECT_EQ(printed_set(movielens_100k_drawn), movielens_100k);
  EXPECT_EQ(printed_set(movielens_latest), movielens_latest);
  const auto missing = find_cars_data(movielens_100k, {"nowhere", false});
  ASSERT_TRUE(missing.ok());
  EXPECT_FALSE(missing->there);
  EXPECT_NE(missing->remedy.find("u.data"), std::string::npos);
}

}  // namespace
}  // namespace sotto
