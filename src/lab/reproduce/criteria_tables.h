// The study of criteria for recommenders (papers/criteria/plans.toml) as tables and findings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/reproduce/reproduction.h"

namespace sotto::lab {

// The first epoch whose look reached the value.
[[nodiscard]] std::optional<std::uint32_t> first_epoch_reaching(const std::vector<CurvePoint>& curve,
                                                                double value);

// How a row differs from the one without criteria, one value a seed that both have.
struct SeedGaps {
  std::vector<double> epochs;  // saved until within 1% of its best; none where a seed never came there
  std::vector<double> tail;    // more ACLT@10
};

struct CriteriaTable {
  PaperTable shown;            // without criteria first
  std::vector<SeedGaps> gaps;  // one a row
};

// Whether some criterion is faster, or shows more of the tail. It speaks for a claim only if the interval
// over seeds of the best row leaves no difference out.
void add_criteria_findings(const std::vector<CriteriaTable>& tables, Reproduction& out);

[[nodiscard]] Status add_criteria_tables(const TargetData& at, Reproduction& out);

}  // namespace sotto::lab
