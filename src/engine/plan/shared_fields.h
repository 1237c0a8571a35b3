// The rows of the table of fields that more than one model has, each written once. An entry takes those that
// its model has; what every model has is common_fields().
#pragma once

#include "engine/plan/make_field.h"

namespace sotto::engine::fields {

[[nodiscard]] Field seed();  // every model's
// Data and splits, what is known about items, contexts, judging: of every model
// that looks at histories.
[[nodiscard]] Fields common_fields();
// Of them: which files, how they are read and split, knowledge, contexts.
[[nodiscard]] Fields data_fields();
[[nodiscard]] Fields reading_fields();
[[nodiscard]] Fields split_fields();
[[nodiscard]] Fields knowledge_fields();
[[nodiscard]] Fields context_fields();
// How often a training in steps is looked at.
[[nodiscard]] Fields step_fields();

[[nodiscard]] Field factors();
[[nodiscard]] Field learning_rate();
[[nodiscard]] Field epochs();
[[nodiscard]] Field init_sd();
[[nodiscard]] Field user_reg();
[[nodiscard]] Field positive_reg();
[[nodiscard]] Field negative_reg();
[[nodiscard]] Field average_last();
// The weight of the squared lengths, which is `standard` unless told.
[[nodiscard]] Field lambda(float standard);
[[nodiscard]] Field recency();
[[nodiscard]] Field neighbors(const char* help = "neighbours that count");
[[nodiscard]] Field shrink();
[[nodiscard]] Field similarity();

[[nodiscard]] Field cohort();
[[nodiscard]] Field triples();
[[nodiscard]] Fields server_step(const char* standard);
[[nodiscard]] Field wire();
// What every federated model has: consent, the kind of sum, robust sums.
[[nodiscard]] Fields federated_fields();
[[nodiscard]] Fields robust_fields();
[[nodiscard]] Fields criteria_fields();
[[nodiscard]] Fields noise_fields();
// Of models that learn from one sum of pairs.
[[nodiscard]] Fields pair_fields();
[[nodiscard]] Fields sum_fields();

}  // namespace sotto::engine::fields
