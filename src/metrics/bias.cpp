#include "metrics/bias.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace sotto::metrics {

namespace {

using TwoGroups = std::array<std::uint64_t, 2>;  // [0] the long tail, [1] the head

// Standard deviation over mean of the two groups' shares: |a − b| / (a + b).
double unevenness(const TwoGroups& part, const TwoGroups& whole) {
  if (whole[0] == 0 || whole[1] == 0) return std::numeric_limits<double>::quiet_NaN();
  const double tail = static_cast<double>(part[0]) / static_cast<double>(whole[0]);
  const double head = static_cast<double>(part[1]) / static_cast<double>(whole[1]);
  if (tail + head == 0.0) return std::numeric_limits<double>::quiet_NaN();
  return std::fabs(tail - head) / (tail + head);
}

std::uint64_t tail_items(std::span<const ItemIndex> list, std::span<const std::uint8_t> head) {
  std::uint64_t count = 0;
  for (const ItemIndex item : list) count += head[item.value] == 0 ? 1 : 0;
  return count;
}

// The mean over users of value(list); 0 for an empty list.
template <class Value>
double mean_over_lists(const TopLists& lists, std::size_t cutoff, const Value& value) {
  double sum = 0.0;
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    const auto list = lists.of(row, cutoff);
    if (!list.empty()) sum += value(list);
  }
  return sum / static_cast<double>(lists.users.size());
}

}  // namespace

std::vector<std::uint8_t> popular_head(Popularity popularity, double share) {
  std::vector<std::uint32_t> order(popularity.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return popularity[a] > popularity[b]; });
  const auto total =
      static_cast<double>(std::accumulate(popularity.begin(), popularity.end(), std::uint64_t{0}));
  std::vector<std::uint8_t> head(popularity.size(), 0);
  double left = total * share;
  for (const std::uint32_t item : order) {
    head[item] = 1;
    left -= static_cast<double>(popularity[item]);
    if (left <= 0.0) break;
  }
  return head;
}

double average_popularity(const TopLists& lists, std::size_t cutoff, Popularity popularity) {
  return mean_over_lists(lists, cutoff, [&](std::span<const ItemIndex> list) {
    std::uint64_t sum = 0;
    for (const ItemIndex item : list) sum += popularity[item.value];
    return static_cast<double>(sum) / static_cast<double>(list.size());
  });
}

double long_tail_share(const TopLists& lists, std::size_t cutoff, std::span<const std::uint8_t> head) {
  return mean_over_lists(lists, cutoff, [&](std::span<const ItemIndex> list) {
    return static_cast<double>(tail_items(list, head)) / static_cast<double>(list.size());
  });
}

double long_tail_count(const TopLists& lists, std::size_t cutoff, std::span<const std::uint8_t> head) {
  return mean_over_lists(lists, cutoff, [&](std::span<const ItemIndex> list) {
    return static_cast<double>(tail_items(list, head));
  });
}

double popularity_opportunity(const TopLists& lists, std::size_t cutoff, std::span<const std::uint8_t> head,
                              const ItemsOf& relevant) {
  TwoGroups found{};
  TwoGroups all{};
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    const auto wanted = relevant(lists.users[row]);
    for (const ItemIndex item : wanted)
      if (item.value < head.size()) ++all[head[item.value]];
    for (const ItemIndex item : lists.of(row, cutoff))
      if (std::binary_search(wanted.begin(), wanted.end(), item)) ++found[head[item.value]];
  }
  return unevenness(found, all);
}

double popularity_parity(const TopLists& lists, std::size_t cutoff, std::span<const std::uint8_t> head,
                         std::span<const ItemsOf> masked) {
  const auto head_size = static_cast<std::uint64_t>(std::count(head.begin(), head.end(), std::uint8_t{1}));
  TwoGroups shown{};
  TwoGroups showable{};
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    showable[0] += head.size() - head_size;
    showable[1] += head_size;
    for (const ItemsOf& part : masked)
      for (const ItemIndex item : part(lists.users[row]))
        if (item.value < head.size()) --showable[head[item.value]];
    for (const ItemIndex item : lists.of(row, cutoff)) ++shown[head[item.value]];
  }
  return unevenness(shown, showable);
}

namespace {

constexpr std::uint32_t no_category = std::numeric_limits<std::uint32_t>::max();

// Category numbers of the catalogue's items, in alphabetical order of the labels.
std::vector<std::uint32_t> number_categories(std::span<const std::string> labels,
                                             std::vector<CategoryBias>& biases) {
  std::map<std::string, std::uint32_t> numbers;
  for (const std::string& label : labels)
    if (!label.empty()) numbers.emplace(label, 0);
  for (auto& [label, number] : numbers) {
    number = static_cast<std::uint32_t>(biases.size());
    biases.push_back({label});
  }
  std::vector<std::uint32_t> category(labels.size(), no_category);
  for (std::size_t item = 0; item < labels.size(); ++item)
    if (!labels[item].empty()) category[item] = numbers[labels[item]];
  return category;
}

// Each category's share of what was counted.
std::vector<double> shares(std::span<const std::uint64_t> counts) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  std::vector<double> result;
  for (const std::uint64_t count : counts)
    result.push_back(total > 0.0 ? static_cast<double>(count) / total : 0.0);
  return result;
}

}  // namespace

std::vector<CategoryBias> bias_disparity(const TopLists& lists, std::size_t cutoff,
                                         std::span<const std::string> categories, const Histories& train,
                                         std::size_t catalogue) {
  std::vector<CategoryBias> biases;
  const auto category = number_categories(categories.first(catalogue), biases);
  std::vector<std::uint64_t> items(biases.size(), 0);
  std::vector<std::uint64_t> source(biases.size(), 0);
  std::vector<std::uint64_t> recommended(biases.size(), 0);
  const auto count = [&](ItemIndex item, std::vector<std::uint64_t>& into) {
    if (category[item.value] != no_category) ++into[category[item.value]];
  };
  for (std::uint32_t item = 0; item < catalogue; ++item) count(ItemIndex{item}, items);
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    for (const ItemIndex item : train.of(lists.users[row])) count(item, source);
    for (const ItemIndex item : lists.of(row, cutoff)) count(item, recommended);
  }
  const auto item_share = shares(items);
  const auto source_share = shares(source);
  const auto recommended_share = shares(recommended);
  for (std::size_t c = 0; c < biases.size(); ++c) {
    CategoryBias& bias = biases[c];
    bias.items = items[c];
    bias.source = source_share[c] / item_share[c];
    bias.recommended = recommended_share[c] / item_share[c];
    bias.disparity = bias.source > 0.0 ? (bias.recommended - bias.source) / bias.source
                                       : std::numeric_limits<double>::quiet_NaN();
  }
  return biases;
}

}  // namespace sotto::metrics
