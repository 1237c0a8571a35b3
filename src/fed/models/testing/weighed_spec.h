// For tests: tasks by criteria, and the categories of their items.
#pragma once

#include "fed/models/testing/usual_spec.h"

namespace sotto::fed::weighed {

inline constexpr std::uint32_t items = 20, bound = 15, seed = 7;
inline const std::vector<std::string> categories = [] {
  std::vector<std::string> all;
  for (std::uint32_t item = 0; item < items; ++item)
    all.push_back(item % 5 == 0 ? "Drama|War" : item % 3 == 0 ? "Comedy" : "Drama");
  return all;
}();

inline v1::TaskSpec weighed_spec(const TaskModel& model, const char* order, bool secure = false) {
  v1::TaskSpec spec = usual_spec(model, items);
  spec.set_seed(seed);
  spec.set_reproducible(true);
  if (&model == &fedals_task) spec.set_factors(4), spec.set_lambda(2.0f);
  v1::Criteria& criteria = *spec.mutable_criteria();
  criteria.set_order(order);
  criteria.set_least_tellers(3);
  if (std::string(order).find("size") != std::string::npos) criteria.set_size_bound(bound);
  if (std::string(order).find("quality") != std::string::npos) criteria.set_quality("War");
  if (!secure) return spec;
  spec.set_sum(v1::SUM_SECURE);
  *spec.mutable_assumed() = [] {
    v1::SumAssumed assumed;
    assumed.set_dropped(0.1);
    assumed.set_leak(1e-6);
    assumed.set_abort(1e-3);
    assumed.set_crowd(3);
    return assumed;
  }();
  return spec;
}

}  // namespace sotto::fed::weighed
