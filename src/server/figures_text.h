// The figures of an evaluation as text (JSON): what the store keeps and the operator reads.
#pragma once

#include <string>

#include "fed/models/live_evaluation.h"

namespace sotto::server {

// {"cutoff":10,"metrics":{"P@10":0.1,…},"coverage":{"items":…,"gini":…,"entropy":…,"lists":[[from,to,items],…]}}:
// `lists` says how many items stand in so many of the lists; without coverage it is left out. Where ratings
// are judged the metrics have their errors, and "ratings" says of how many. Of a classifier:
// {"metrics":{"Accuracy":0.9},"examples":120}.
[[nodiscard]] std::string figures_text(const LiveFigures& figures, const EvaluationTerms& terms);

}  // namespace sotto::server
