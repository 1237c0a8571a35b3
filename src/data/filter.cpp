#include "data/filter.h"

#include <fmt/format.h>

#include <functional>

namespace sotto::data {

namespace {

std::vector<std::uint32_t> user_counts(const Dataset& dataset) {
  std::vector<std::uint32_t> counts(dataset.users.size(), 0);
  for (const Interaction& row : dataset.interactions) ++counts[row.user.value];
  return counts;
}

std::vector<std::uint32_t> item_counts(const Dataset& dataset) {
  std::vector<std::uint32_t> counts(dataset.items.size(), 0);
  for (const Interaction& row : dataset.interactions) ++counts[row.item.value];
  return counts;
}

void keep_min_user(Dataset& dataset, std::uint32_t least) {
  const auto counts = user_counts(dataset);
  std::erase_if(dataset.interactions, [&](const Interaction& row) { return counts[row.user.value] < least; });
}

void keep_core(Dataset& dataset, std::uint32_t least) {
  while (true) {
    const auto users = user_counts(dataset);
    const auto items = item_counts(dataset);
    const auto rare = [&](const Interaction& row) {
      return users[row.user.value] < least || items[row.item.value] < least;
    };
    if (std::erase_if(dataset.interactions, rare) == 0) return;
  }
}

// Old indices that still occur, in their order; `renumbered[old]` is the new index.
std::vector<std::uint32_t> occurring(const std::vector<std::uint32_t>& counts,
                                     std::vector<std::uint32_t>& renumbered) {
  std::vector<std::uint32_t> kept;
  renumbered.assign(counts.size(), 0);
  for (std::uint32_t old = 0; old < counts.size(); ++old) {
    if (counts[old] == 0) continue;
    renumbered[old] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(old);
  }
  return kept;
}

void keep_labels(std::vector<std::string>& labels, const std::vector<std::uint32_t>& kept) {
  if (labels.empty()) return;
  std::vector<std::string> picked;
  picked.reserve(kept.size());
  for (const std::uint32_t old : kept) picked.push_back(std::move(labels[old]));
  labels = std::move(picked);
}

void drop_unused_ids(Dataset& dataset) {
  std::vector<std::uint32_t> new_user, new_item;
  const auto users = occurring(user_counts(dataset), new_user);
  const auto items = occurring(item_counts(dataset), new_item);
  if (users.size() == dataset.users.size() && items.size() == dataset.items.size()) return;
  dataset.users = dataset.users.picked(users);
  dataset.items = dataset.items.picked(items);
  keep_labels(dataset.item_names, items);
  keep_labels(dataset.item_categories, items);
  for (Interaction& row : dataset.interactions) {
    row.user.value = new_user[row.user.value];
    row.item.value = new_item[row.item.value];
  }
}

// The values of the interactions that are left of `before`; they kept their order.
void keep_column_values(const std::vector<Interaction>& before, Dataset& dataset) {
  for (auto& values : dataset.column_values) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < before.size() && kept < dataset.interactions.size(); ++k) {
      const Interaction& next = dataset.interactions[kept];
      if (before[k].user == next.user && before[k].item == next.item) values[kept++] = values[k];
    }
    values.resize(kept);
  }
}

Status run_filter(Filtered& filtered, const std::string& name, const std::function<void(Dataset&)>& keep) {
  Dataset& dataset = filtered.dataset;
  FilterStep step{name, dataset.users.size(), dataset.items.size(), dataset.interactions.size()};
  const std::vector<Interaction> before =
      dataset.columns.empty() ? std::vector<Interaction>() : dataset.interactions;
  keep(dataset);
  keep_column_values(before, dataset);
  if (dataset.interactions.empty())
    return fail(Code::bad_input,
                fmt::format("the filter \"{}\" leaves nothing of {} interactions; choose a milder one", name,
                            step.interactions));
  drop_unused_ids(dataset);
  step.users -= dataset.users.size();
  step.items -= dataset.items.size();
  step.interactions -= dataset.interactions.size();
  filtered.steps.push_back(std::move(step));
  return Done{};
}

}  // namespace

Result<Filtered> filter_dataset(Dataset dataset, const FilterOptions& options) {
  Filtered filtered{std::move(dataset), {}};
  if (options.min_rating) {
    if (!filtered.dataset.has_ratings)
      return fail(Code::bad_input,
                  "a minimum rating was asked for, but the data has no ratings; leave it out, or "
                  "name the rating column");
    const float least = *options.min_rating;
    SOTTO_TRY_DONE(run_filter(filtered, fmt::format("ratings of at least {}", least), [least](Dataset& data) {
      // Written so that a least that is no number keeps nothing.
      std::erase_if(data.interactions, [least](const Interaction& row) { return !(row.rating >= least); });
    }));
  }
  if (options.min_user > 0)
    SOTTO_TRY_DONE(run_filter(filtered, fmt::format("at least {} items a user", options.min_user),
                              [&](Dataset& data) { keep_min_user(data, options.min_user); }));
  if (options.core > 0)
    SOTTO_TRY_DONE(run_filter(filtered, fmt::format("{}-core", options.core),
                              [&](Dataset& data) { keep_core(data, options.core); }));
  return filtered;
}

Result<Filtered> keep_items(Dataset dataset, const std::vector<std::uint8_t>& kept, const std::string& name) {
  Filtered filtered{std::move(dataset), {}};
  SOTTO_TRY_DONE(run_filter(filtered, name, [&](Dataset& data) {
    std::erase_if(data.interactions, [&](const Interaction& row) { return kept[row.item.value] == 0; });
  }));
  return filtered;
}

}  // namespace sotto::data
