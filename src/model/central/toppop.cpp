#include "model/central/toppop.h"

#include <algorithm>

namespace sotto::model {

TopPop::TopPop(const Histories& train, std::size_t catalogue) {
  popularity_.reserve(catalogue);
  for (const std::uint32_t count : train.popularity(catalogue))
    popularity_.push_back(static_cast<float>(count));
}

void TopPop::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  for (std::size_t k = 0; k < users.size(); ++k)
    std::copy(popularity_.begin() + items.begin, popularity_.begin() + items.end,
              out.begin() + static_cast<std::ptrdiff_t>(k * items.size()));
}

void TopPop::score_history(std::span<const ItemIndex>, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == popularity_.size(), "one place for each score");
  std::copy(popularity_.begin(), popularity_.end(), out.begin());
}

Status TopPop::similar(ItemIndex, std::span<float>) const {
  return fail(
      Code::usage,
      "Top-Pop knows how popular items are, not which are alike; ask an Item-kNN, BPR-MF or FPL model");
}

void TopPop::add_numbers(Hasher& hasher) const { hasher.array(std::span(popularity_)); }

}  // namespace sotto::model
