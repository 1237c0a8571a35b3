#include "model/central/user_knn.h"

#include <algorithm>

namespace sotto::model {

Result<std::unique_ptr<UserKnn>> UserKnn::fit(const Histories& train, std::size_t catalogue,
                                              const KnnOptions& options, Executor& executor) {
  SOTTO_TRY_DONE(check(options));
  return std::unique_ptr<UserKnn>(new UserKnn(train, catalogue, options, executor));
}

UserKnn::UserKnn(const Histories& train, std::size_t catalogue, const KnnOptions& options, Executor& executor)
    : train_(train),
      audiences_(train, catalogue),
      options_(options),
      neighbors_(nearest_users(train, audiences_, options, executor)) {}

void UserKnn::add_up(std::span<const Neighbor> neighbors, ItemRange items, float* out) const {
  std::fill(out, out + items.size(), 0.0f);
  for (const Neighbor& neighbor : neighbors) {
    const auto history = train_.of(UserIndex{neighbor.index});
    for (auto it = std::lower_bound(history.begin(), history.end(), ItemIndex{items.begin});
         it != history.end() && it->value < items.end; ++it)
      out[it->value - items.begin] += neighbor.likeness;
  }
}

void UserKnn::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  for (std::size_t k = 0; k < users.size(); ++k)
    add_up(neighbors_.of(users[k].value), items, out.data() + k * items.size());
}

void UserKnn::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  const auto neighbors = nearest_to_history(history, train_, audiences_, options_);
  add_up(neighbors, {0, static_cast<std::uint32_t>(out.size())}, out.data());
}

Status UserKnn::similar(ItemIndex item, std::span<float> out) const {
  likeness_to_item(item, train_, audiences_, options_, out);
  return Done{};
}

}  // namespace sotto::model
