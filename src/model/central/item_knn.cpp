#include "model/central/item_knn.h"

#include <algorithm>

namespace sotto {

Result<std::unique_ptr<ItemKnn>> ItemKnn::fit(const Histories& train, std::size_t catalogue,
                                              const KnnOptions& options, Executor& executor) {
  SOTTO_TRY_DONE(check(options));
  return std::unique_ptr<ItemKnn>(new ItemKnn(train, catalogue, options, executor));
}

ItemKnn::ItemKnn(const Histories& train, std::size_t catalogue, const KnnOptions& options, Executor& executor)
    : train_(train), audiences_(train, catalogue), options_(options), offsets_(catalogue + 1, 0) {
  const NeighborLists lists = nearest_items(train, audiences_, options, executor);
  for (std::size_t item = 0; item < catalogue; ++item)
    for (const Neighbor& neighbor : lists.of(item)) ++offsets_[neighbor.index + 1];
  for (std::size_t item = 0; item < catalogue; ++item) offsets_[item + 1] += offsets_[item];
  admirers_.resize(offsets_.back());
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t item = 0; item < catalogue; ++item)
    for (const Neighbor& neighbor : lists.of(item))
      admirers_[next[neighbor.index]++] = {item, neighbor.likeness};
}

void ItemKnn::add_up(std::span<const ItemIndex> history, ItemRange items, float* out) const {
  std::fill(out, out + items.size(), 0.0f);
  for (const ItemIndex own : history) {
    const auto admirers =
        std::span(admirers_).subspan(offsets_[own.value], offsets_[own.value + 1] - offsets_[own.value]);
    for (auto it = std::lower_bound(admirers.begin(), admirers.end(), items.begin,
                                    [](const Neighbor&a, std::uint32_t begin) { return a.index < begin; });
         it != admirers.end() && it->index < items.end; ++it)
      out[it->index - items.begin] += it->likeness;
  }
}

void ItemKnn::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  for (std::size_t k = 0; k < users.size(); ++k)
    add_up(train_.of(users[k]), items, out.data() + k * items.size());
}

void ItemKnn::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  add_up(history, {0, static_cast<std::uint32_t>(out.size())}, out.data());
}

Status ItemKnn::similar(ItemIndex item, std::span<float> out) const {
  likeness_to_item(item, train_, audiences_, options_.shrink, out);
  return Done{};
}

}  // namespace sotto
