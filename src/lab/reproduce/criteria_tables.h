// The study of criteria for recommenders (criteria_plans.h) as tables and findings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/reproduce/reproduction.h"

namespace sotto {

// The first epoch whose look reached the value.
[[nodiscard]] std::optional<std::uint32_t> first_epoch_reaching(const std::vector<CurvePoint>& curve,
                                                                double value);

[[nodiscard]] Status add_criteria_tables(const TargetData& at, Reproduction& out);

}  // namespace sotto
