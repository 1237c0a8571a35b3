// The study of criteria for recommenders: which are tried with which models, and the plans behind them. The
// one place where they are changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/reproduce/studies.h"

namespace sotto {

[[nodiscard]] Target criteria_target();

struct CriteriaVariant {
  std::string_view label;  // "size, then novelty"
  std::string_view order;  // "size>novelty"; empty: all count alike
  std::string_view score = {};
};
// The first has no criteria: what the others are compared with.
[[nodiscard]] std::vector<CriteriaVariant> criteria_variants(std::string_view dataset, std::string_view model,
                                                             Effort effort);
// Those that the data serve: without features there is no KGFlex.
[[nodiscard]] std::vector<std::string_view> criteria_models(std::string_view dataset);
// "pFPL, size".
[[nodiscard]] std::string criteria_label(std::string_view model, const CriteriaVariant& variant);

[[nodiscard]] Result<std::vector<PlannedStudy>> criteria_studies(const Target& target, const PaperData& data,
                                                                 Effort effort);

}  // namespace sotto
