// Random: a uniform score for each (user, item), the floor that every model must beat.
// Law: a score is a function of (seed, user, item) alone, so blocks and threads do not matter.
#pragma once

#include "model/named_numbers.h"
#include "model/recommender.h"

namespace sotto::model {

class RandomScores final : public Recommender, public NamedNumbers {
 public:
  RandomScores(std::size_t catalogue, std::uint64_t seed) : catalogue_(catalogue), seed_(seed) {}

  [[nodiscard]] std::size_t catalogue() const override { return catalogue_; }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  // The same for every history: nobody's in particular.
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // Always fails.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  // It holds none: what it would draw for nobody in particular.
  void add_numbers(Hasher& hasher) const override;

 private:
  std::size_t catalogue_;
  std::uint64_t seed_;
};

}  // namespace sotto::model
