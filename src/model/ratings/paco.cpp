#include "model/ratings/paco.h"

#include <algorithm>

#include "model/central/neighbors.h"

namespace sotto::model {

namespace {

// Below the smallest difference of densities that would matter to anybody.
constexpr double within_block = 1e-3;

template <class Index>
std::vector<std::vector<std::uint32_t>> numbers_of(std::size_t rows, const auto& row_of) {
  std::vector<std::vector<std::uint32_t>> all(rows);
  for (std::size_t row = 0; row < rows; ++row)
    for (const Index index : row_of(row)) all[row].push_back(index.value);
  return all;
}

std::vector<std::uint32_t> clusters_of(const std::vector<std::vector<std::uint32_t>>& rows,
                                       ClusterTask task) {
  task.rows = rows.size();
  return cluster_rows(task, [&](std::size_t row) { return std::span(rows[row]); });
}

std::size_t count_of(std::span<const std::uint32_t> clusters) {
  return clusters.empty() ? 0 : std::size_t{*std::max_element(clusters.begin(), clusters.end())} + 1;
}

Blocks blocks_of(const std::vector<std::vector<std::uint32_t>>& people,
                 std::span<const std::uint32_t> user_clusters, std::span<const std::uint32_t> item_clusters) {
  Blocks blocks{std::vector<double>(count_of(user_clusters), 0.0),
                std::vector<double>(count_of(item_clusters), 0.0),
                {}};
  blocks.ones.resize(blocks.rows.size() * blocks.columns.size(), 0.0);
  for (const std::uint32_t cluster : user_clusters) blocks.rows[cluster] += 1.0;
  for (const std::uint32_t cluster : item_clusters) blocks.columns[cluster] += 1.0;
  for (std::size_t user = 0; user < people.size(); ++user)
    for (const std::uint32_t item : people[user])
      blocks.ones[user_clusters[user] * blocks.columns.size() + item_clusters[item]] += 1.0;
  return blocks;
}

}  // namespace

Result<std::unique_ptr<Paco>> Paco::fit(const Histories& train, std::size_t catalogue,
                                        const PacoOptions& options) {
  if (options.user_clusters == 0 || options.item_clusters == 0)
    return fail(Code::usage, "there are 0 clusters: give at least one");
  if (train.interactions() == 0)
    return fail(Code::bad_input, "the training part has no interactions: there is nothing to cluster");
  return std::unique_ptr<Paco>(new Paco(train, catalogue, options));
}

Paco::Paco(const Histories& train, std::size_t catalogue, const PacoOptions& options) {
  const Audiences audiences(train, catalogue);
  const auto people = numbers_of<ItemIndex>(
      train.users(), [&](std::size_t row) { return train.of(UserIndex{static_cast<std::uint32_t>(row)}); });
  const auto items = numbers_of<UserIndex>(
      catalogue, [&](std::size_t row) { return audiences.of(ItemIndex{static_cast<std::uint32_t>(row)}); });
  ClusterTask task{.clusters = options.user_clusters, .passes = options.passes, .seed = options.seed};
  task.columns = catalogue;
  user_clusters_ = clusters_of(people, task);
  task.columns = train.users();
  task.clusters = options.item_clusters;
  task.side = 1;
  item_clusters_ = clusters_of(items, task);
  const Merged merged = merge_clusters(blocks_of(people, user_clusters_, item_clusters_));
  for (std::uint32_t& cluster : user_clusters_) cluster = merged.rows[cluster];
  for (std::uint32_t& cluster : item_clusters_) cluster = merged.columns[cluster];
  const Blocks& blocks = merged.blocks;
  item_cluster_count_ = blocks.columns.size();
  shares_.rows.assign(blocks.rows.size(), std::vector<double>(catalogue, 0.0));
  for (std::size_t row = 0; row < blocks.rows.size(); ++row)
    for (std::size_t column = 0; column < item_cluster_count_; ++column)
      density_.push_back(blocks.at(row, column) / (blocks.rows[row] * blocks.columns[column]));
  for (std::size_t user = 0; user < people.size(); ++user)
    for (const std::uint32_t item : people[user])
      shares_.rows[user_clusters_[user]][item] += 1.0 / blocks.rows[user_clusters_[user]];
  shares_.measure();
}

float Paco::score_in(std::uint32_t cluster, std::uint32_t item) const {
  return static_cast<float>(density_[cluster * item_cluster_count_ + item_clusters_[item]] +
                            within_block * shares_.rows[cluster][item]);
}

void Paco::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  for (std::size_t k = 0; k < users.size(); ++k)
    for (std::uint32_t item = items.begin; item < items.end; ++item)
      out[k * items.size() + item - items.begin] = score_in(user_clusters_[users[k].value], item);
}

void Paco::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  std::vector<std::uint32_t> row;
  for (const ItemIndex item : history) row.push_back(item.value);
  const std::uint32_t cluster = nearest_center(row, shares_);
  for (std::uint32_t item = 0; item < out.size(); ++item) out[item] = score_in(cluster, item);
}

Status Paco::similar(ItemIndex, std::span<float>) const {
  return fail(
      Code::usage,
      "PaCo knows which items are in one cluster, not which of them are alike; ask an Item-kNN, BPR-MF or "
      "FPL model");
}

void Paco::add_numbers(Hasher& hasher) const {
  hasher.array(std::span(user_clusters_)).array(std::span(item_clusters_)).array(std::span(density_));
  for (const std::vector<double>& shares : shares_.rows) hasher.array(std::span(shares));
}

}  // namespace sotto::model
