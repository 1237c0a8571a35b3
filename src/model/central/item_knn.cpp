#include "model/central/item_knn.h"

namespace sotto::model {

Result<std::unique_ptr<ItemKnn>> ItemKnn::fit(const Histories& train, std::size_t catalogue,
                                              const KnnOptions& options, Executor& executor,
                                              const Recency& recency) {
  SOTTO_TRY_DONE(check(options));
  return std::unique_ptr<ItemKnn>(new ItemKnn(train, catalogue, options, executor, recency));
}

ItemKnn::ItemKnn(const Histories& train, std::size_t catalogue, const KnnOptions& options, Executor& executor,
                 const Recency& recency)
    : train_(train),
      audiences_(train, catalogue),
      options_(options),
      weights_(ItemWeights::by_target(nearest_items(train, audiences_, options, executor))),
      recency_(recency) {}

void ItemKnn::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  std::vector<float> recency;
  for (std::size_t k = 0; k < users.size(); ++k) {
    recency_.weigh(train_.ages_of(users[k]), recency);
    weights_.add_up(train_.of(users[k]), recency, items, out.data() + k * items.size());
  }
}

void ItemKnn::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  weights_.add_up(history, {}, {0, static_cast<std::uint32_t>(out.size())}, out.data());
}

Status ItemKnn::similar(ItemIndex item, std::span<float> out) const {
  likeness_to_item(item, train_, audiences_, options_, out);
  return Done{};
}

}  // namespace sotto::model
