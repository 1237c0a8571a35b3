// Filters: take rare users, rare items and low ratings out of a dataset.
//
// Laws: they run in the order of the fields below; what is left keeps its order and its columns, and users
// and items without interactions leave the id tables. A filter that leaves nothing is an error that names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"

namespace sotto::data {

struct FilterOptions {
  std::optional<float> min_rating;  // keep ratings at or above
  std::uint32_t min_user = 0;       // keep users with at least so many items; 0: all
  std::uint32_t core = 0;           // then until stable: users and items with at least so many; 0: all

  [[nodiscard]] bool any() const { return min_rating || min_user > 0 || core > 0; }
};

// What one filter removed.
struct FilterStep {
  std::string filter;  // "at least 20 items a user"
  std::uint64_t users = 0;
  std::uint64_t items = 0;
  std::uint64_t interactions = 0;
};

struct Filtered {
  Dataset dataset;
  std::vector<FilterStep> steps;  // one a filter that ran
};

[[nodiscard]] Result<Filtered> filter_dataset(Dataset dataset, const FilterOptions& options);

// Only the items with a 1; `name` is what the step is called.
[[nodiscard]] Result<Filtered> keep_items(Dataset dataset, const std::vector<std::uint8_t>& kept,
                                          const std::string& name);

}  // namespace sotto::data
