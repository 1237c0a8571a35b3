// What the FPL papers and chapter 4 of the thesis print: numbers only, one constexpr table each.
//
// Laws: every row is complete; a number that is lost in the copies at hand is NaN and means "no print".
// Labels of models and datasets are those that the studies use, so that print and measurement meet by name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sotto {

inline constexpr std::array<std::string_view, 11> paper_models{
    "Random", "Top-Pop", "User-kNN", "Item-kNN", "VAE", "BPR-MF", "FCF", "sFPL", "sFPL+", "pFPL", "pFPL+"};
inline constexpr std::array<std::string_view, 4> fpl_models{"sFPL", "sFPL+", "pFPL", "pFPL+"};

// Table 4.1; table 1 of the papers has the first three. The Foursquare rows count training records, the
// others whole datasets.
struct PrintedDataset {
  std::string_view dataset;
  double users;
  double items;
  double records;
  bool training_part;  // the counts are of the training part
};
[[nodiscard]] std::span<const PrintedDataset> printed_datasets();

// Tables 4.2 and 4.3, one row a dataset and model; the papers' tables are parts of them.
struct PrintedScore {
  std::string_view dataset;
  std::string_view model;
  double precision;  // at 10, as all
  double recall;
  double coverage;
  double gini;
};
[[nodiscard]] std::span<const PrintedScore> printed_scores();
// One cell by the metric's name: P@10, R@10, IC@10, Gini@10.
[[nodiscard]] std::optional<double> printed_score(std::string_view dataset, std::string_view model,
                                                  std::string_view metric);

// The best π under the papers' tables.
struct PrintedPi {
  std::string_view dataset;
  std::string_view model;
  double pi;
};
[[nodiscard]] std::span<const PrintedPi> printed_pis();

// Table 4.4 (Brazil): communication in 10^12 item vectors and precision, for each π.
struct PrintedCost {
  std::string_view model;
  double pi;
  double vectors;
  double precision;
};
[[nodiscard]] std::span<const PrintedCost> printed_costs();
// Epochs behind table 4.4's costs: they divide into whole epochs only so.
[[nodiscard]] std::uint32_t printed_epochs(std::string_view model);

inline constexpr std::array<std::string_view, 9> paper_categories{
    "Arts & Entertainment",  "College & University",        "Food",      "Nightlife Spot",
    "Outdoors & Recreation", "Professional & Other Places", "Residence", "Shop & Service",
    "Travel & Transport"};

// Tables 4.5 (a dataset's source bias) and 4.6 (a model's bias disparity, Brazil), by category.
struct PrintedBias {
  std::string_view name;
  std::array<double, paper_categories.size()> values;
};
[[nodiscard]] std::span<const PrintedBias> printed_source_bias();
[[nodiscard]] std::span<const PrintedBias> printed_disparity();

}  // namespace sotto
