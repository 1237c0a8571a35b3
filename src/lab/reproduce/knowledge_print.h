// What chapter 6 of the thesis prints: tables 6.1 and 6.2, numbers only.
//
// Laws: every row is complete; labels of models and datasets are those that the studies use, so that print
// and measurement meet by name.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace sotto {

inline constexpr std::array<std::string_view, 10> knowledge_models{
    "Random", "Most Pop", "VSM", "Item-kNN", "MultVAE", "BPR-MF", "MF", "NeuMF", "kaHFM", "KGFlex"};
// Those that factorise: the thesis marks the best and the second of them.
inline constexpr std::array<std::string_view, 5> competing_models{"BPR-MF", "MF", "NeuMF", "kaHFM", "KGFlex"};

// Nobody printed it: KGFlex with what a validation part chose.
inline constexpr std::string_view tuned_kgflex = "KGFlex, tuned";

inline constexpr std::array<std::string_view, 12> knowledge_metrics{
    "nDCG@10", "nDCG@1", "IC@10",     "IC@1",     "Gini@10",   "Gini@1",
    "ACLT@10", "ACLT@1", "PopREO@10", "PopREO@1", "PopRSP@10", "PopRSP@1"};

// Table 6.1, one row a dataset and model, in the order of knowledge_metrics.
struct PrintedKnowledge {
  std::string_view dataset;
  std::string_view model;
  std::array<double, knowledge_metrics.size()> values;
};
[[nodiscard]] std::span<const PrintedKnowledge> printed_knowledge();
[[nodiscard]] std::optional<double> printed_knowledge(std::string_view dataset, std::string_view model,
                                                      std::string_view metric);

// Table 6.2 (Yahoo! Movies): of a person's k most informative features the share that the list keeps;
// quartiles over people. k = 0 stands for all.
struct PrintedPreserved {
  std::size_t k;
  double first, second, third;
};
[[nodiscard]] std::span<const PrintedPreserved> printed_preserved();
// Section 6.6.4: of the 100 most informative features of all.
inline constexpr double printed_top_share = 0.79;

}  // namespace sotto
