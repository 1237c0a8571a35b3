// Top-Pop: everybody gets the items with the most training interactions.
#pragma once

#include <vector>

#include "model/named_numbers.h"
#include "model/recommender.h"

namespace sotto::model {

class TopPop final : public Recommender, public NamedNumbers {
 public:
  TopPop(const Histories& train, std::size_t catalogue);

  [[nodiscard]] std::size_t catalogue() const override { return popularity_.size(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // Always fails: popularity says nothing of likeness.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override;

 private:
  std::vector<float> popularity_;
};

}  // namespace sotto::model
