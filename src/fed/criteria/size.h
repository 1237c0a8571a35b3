// How much a device has: its records, as a share of a bound that everybody knows (thesis: DS).
#pragma once

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind size_criterion{"size",
                                              "DS",
                                              "records, as a share of a bound that everybody knows",
                                              "how much you have done: your number of records",
                                              false,
                                              [](const DeviceFacts& facts) {
                                                if (facts.most_records == 0) return 0.0;
                                                const double share = static_cast<double>(facts.records) /
                                                                     static_cast<double>(facts.most_records);
                                                return share < 1.0 ? share : 1.0;
                                              }};

}  // namespace sotto::fed
