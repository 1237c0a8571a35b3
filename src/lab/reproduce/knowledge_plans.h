// The plans behind chapter 6: for --quick one plan a dataset and model, for --full what is searched. The one
// place where they are changed.
#pragma once

#include <array>
#include <string_view>

#include "lab/reproduce/paper_plans.h"

namespace sotto {

// Figure 6.3: which hops' features a person may use, and the length of the vectors.
inline constexpr std::array<std::string_view, 12> ablation_models{
    "none, m 1",   "none, m 10",   "none, m 100",    //
    "1 hop, m 1",  "1 hop, m 10",  "1 hop, m 100",   //
    "2 hops, m 1", "2 hops, m 10", "2 hops, m 100",  //
    "both, m 1",   "both, m 10",   "both, m 100",
};
// "1 hop" of "1 hop, m 10".
[[nodiscard]] std::string_view ablation_variant(std::string_view model);
// Whether the model makes no sense where only features of depth 1 are known.
[[nodiscard]] bool needs_second_hop(std::string_view model);

// All plans of the chapter start from it: lists of 1 and 10.
[[nodiscard]] TrainRequest knowledge_protocol();
// Null where there is none.
[[nodiscard]] const QuickPlan* knowledge_plan(std::string_view dataset, std::string_view model);
[[nodiscard]] FullPlan knowledge_full_plan(std::string_view model);
// As the thesis: ten settings of each grid, the best nDCG@10 on a validation part.
[[nodiscard]] Search knowledge_search();

}  // namespace sotto
