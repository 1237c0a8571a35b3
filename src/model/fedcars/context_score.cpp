#include "model/fedcars/context_score.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace sotto::model {

namespace {

// −Σ (v/n) log2 (v/n) with 0·log 0 = 0.
double entropy(std::span<const std::uint32_t> counts, double n) {
  double sum = 0.0;
  for (const std::uint32_t count : counts) {
    const double share = static_cast<double>(count) / n;
    if (count > 0) sum -= share * std::log2(share);
  }
  return sum;
}

// D: a dimension without values (recency, which weighs records) is none of these.
double with_values(const ContextCounts& counts) {
  return static_cast<double>(
      std::ranges::count_if(counts.of, [](const auto& dimension) { return !dimension.empty(); }));
}

std::optional<int> year_in(const std::string& name) {
  int year = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), year);
  const bool is_year = error == std::errc() && end == name.data() + name.size() && name.size() == 4;
  return is_year && year >= 1000 ? std::optional(year) : std::nullopt;
}

// One dimension of items, ready to compare two of them.
class ItemDimension {
 public:
  ItemDimension(const Contexts& contexts, std::size_t dimension)
      : rows_(contexts.items),
        first_(contexts.dimensions[dimension].first),
        end_(first_ + static_cast<std::uint32_t>(contexts.dimensions[dimension].values.size())) {
    for (const std::string& name : contexts.dimensions[dimension].values) {
      const auto year = year_in(name);
      if (!year) {
        years_.clear();
        break;
      }
      years_.push_back(*year);
    }
  }

  [[nodiscard]] double likeness(ItemIndex a, ItemIndex b) const {
    const auto one = values_of(a), other = values_of(b);
    if (one.empty() || other.empty()) return 0.0;
    return years_.empty() ? common(one, other) : nearness(one, other);
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> values_of(ItemIndex item) const {
    const auto row = rows_.of(item.value);
    const auto from = std::lower_bound(row.begin(), row.end(), first_);
    return {from, std::lower_bound(from, row.end(), end_)};
  }
  static double common(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other) {
    std::size_t both = 0;
    for (const std::uint32_t value : one) both += std::ranges::binary_search(other, value) ? 1 : 0;
    return static_cast<double>(both) / static_cast<double>(one.size() + other.size() - both);
  }
  [[nodiscard]] double nearness(std::span<const std::uint32_t> one,
                                std::span<const std::uint32_t> other) const {
    const int apart = std::abs(years_[one.front() - first_] - years_[other.front() - first_]);
    return std::max(0.0, 1.0 - static_cast<double>(apart) / 10.0);
  }

  const ContextRows& rows_;
  std::uint32_t first_, end_;
  std::vector<int> years_;  // of the values, where all are years
};

}  // namespace

ContextCounts count_contexts(const Contexts& contexts, const Histories& train, UserIndex user) {
  ContextCounts counts;
  for (const ContextDimension& dimension : contexts.dimensions)
    counts.of.emplace_back(dimension.values.size(), 0);
  counts.records_with.assign(contexts.dimensions.size(), 0);
  const auto items = train.of(user);
  const std::uint64_t first = train.offsets()[user.value];
  std::vector<bool> has;
  const auto add = [&](std::span<const std::uint32_t> values) {
    for (const std::uint32_t value : values) {
      if (value == no_context) continue;
      const std::size_t dimension = contexts.dimension_of(value);
      ++counts.of[dimension][value - contexts.dimensions[dimension].first];
      has[dimension] = true;
    }
  };
  for (std::size_t k = 0; k < items.size(); ++k) {
    has.assign(contexts.dimensions.size(), false);
    if (contexts.train.width > 0) add(contexts.train.of(first + k));
    add(contexts.items.of(items[k].value));
    add(contexts.people.of(user.value));
    for (std::size_t d = 0; d < has.size(); ++d) counts.records_with[d] += has[d] ? 1 : 0;
    ++counts.records;
  }
  return counts;
}

double spread(std::span<const std::uint32_t> counts) {
  double n = 0.0;
  for (const std::uint32_t count : counts) n += static_cast<double>(count);
  if (counts.size() < 2 || n == 0.0) return 0.0;
  // Rounding must not lead out of the range.
  return std::clamp(entropy(counts, n) / std::log2(static_cast<double>(counts.size())), 0.0, 1.0);
}

double context_score(const ContextCounts& counts) {
  const double dimensions = with_values(counts);
  if (dimensions == 0.0) return 0.0;
  double sum = 0.0;
  for (const auto& dimension : counts.of) sum += spread(dimension);
  return sum / dimensions;
}

std::optional<double> literal_context_score(const ContextCounts& counts) {
  const double dimensions = with_values(counts);
  if (dimensions < 2.0 || counts.records == 0) return std::nullopt;
  double sum = 0.0;
  for (const auto& dimension : counts.of) sum += entropy(dimension, static_cast<double>(counts.records));
  return sum / std::log2(dimensions);
}

std::vector<ItemIndex> newest_items(const Histories& histories, UserIndex user, std::size_t most) {
  const auto items = histories.of(user);
  const auto ages = histories.ages_of(user);
  if (ages.empty()) return {items.begin(), items.end()};
  std::vector<std::pair<std::uint16_t, ItemIndex>> by_age;
  for (std::size_t k = 0; k < items.size(); ++k) by_age.emplace_back(ages[k], items[k]);
  std::sort(by_age.begin(), by_age.end());
  std::vector<ItemIndex> newest;
  for (std::size_t k = 0; k < std::min(most, by_age.size()); ++k) newest.push_back(by_age[k].second);
  return newest;
}

std::vector<ContextNeighbour> contextual_neighbours(const Contexts& contexts,
                                                    std::span<const ItemIndex> recent,
                                                    std::span<const ItemIndex> had,
                                                    std::span<const double> weights, std::size_t catalogue,
                                                    std::size_t most) {
  std::vector<std::pair<ItemDimension, double>> looked_at;
  double whole = 0.0;
  for (std::size_t d = 0; d < contexts.dimensions.size(); ++d) {
    if (contexts.dimensions[d].source != ContextSource::item || !(weights[d] > 0.0)) continue;
    looked_at.emplace_back(ItemDimension(contexts, d), weights[d]);
    whole += weights[d];
  }
  std::vector<ContextNeighbour> found;
  for (std::uint32_t item = 0; item < catalogue; ++item) {
    if (std::ranges::binary_search(had, ItemIndex{item})) continue;
    double sum = 0.0;
    for (const auto& [dimension, weight] : looked_at)
      for (const ItemIndex other : recent) sum += weight * dimension.likeness({item}, other);
    if (sum > 0.0) found.push_back({{item}, sum / (whole * static_cast<double>(recent.size()))});
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(most, found.size()));
  std::partial_sort(found.begin(), found.begin() + kept, found.end(), [](const auto& a, const auto& b) {
    return a.likeness != b.likeness ? a.likeness > b.likeness : a.item < b.item;
  });
  found.resize(static_cast<std::size_t>(kept));
  return found;
}

}  // namespace sotto::model
