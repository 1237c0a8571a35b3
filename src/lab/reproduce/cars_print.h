// What the Fed-CARS paper prints: table 1, numbers only. Its nDCG is CaseRecommender's (nDCGhits@10 here).
//
// Laws: labels of rows and datasets are those that the tables use, so that print and measurement meet by
// name; PaCo, which predicts no ratings, has no errors.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace sotto {

inline constexpr std::string_view fed_cars = "Fed-CARS";

inline constexpr std::array<std::string_view, 5> cars_metrics{"MAE", "RMSE", "nDCGhits@10", "nDCG@10",
                                                              "Coverage@10"};

// A row of the table: whose ratings and whose lists it shows. The paper's baselines are two models each
// where one does not do both.
struct CarsRow {
  std::string_view label;
  std::string_view rates;  // empty: predicts none
  std::string_view ranks;
  bool printed = true;
};
[[nodiscard]] std::span<const CarsRow> cars_rows();

// `dataset` as printed_set() says it.
[[nodiscard]] std::optional<double> printed_cars(std::string_view dataset, std::string_view row,
                                                 std::string_view metric);

}  // namespace sotto
