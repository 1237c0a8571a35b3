// Recommender: a trained model that can score items. Every model of the project, federated or
// central, ends as one; evaluation, top-N lists and similar items need nothing else.
//
// Laws: const calls are safe from several threads at once; a score is finite; the same call gives the
// same bits; scores of a block do not depend on how the catalogue is cut into blocks.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "data/histories.h"
#include "data/ids.h"

namespace sotto {

struct ItemRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

class Recommender {
 public:
  Recommender() = default;
  Recommender(const Recommender&) = delete;
  Recommender& operator=(const Recommender&) = delete;
  virtual ~Recommender() = default;

  // Items are [0, catalogue()).
  [[nodiscard]] virtual std::size_t catalogue() const = 0;

  // out[k · items.size() + n] is the score of item items.begin + n for users[k].
  virtual void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const = 0;

  // Scores of the whole catalogue for somebody who was not there at training (fold-in). `history` is
  // ascending and within the catalogue; it may be empty.
  virtual void score_history(std::span<const ItemIndex> history, std::span<float> out) const = 0;

  // Likeness of every item of the catalogue to `item`, larger is more alike; fails where the model
  // has no such notion.
  [[nodiscard]] virtual Status similar(ItemIndex item, std::span<float> out) const = 0;
};

}  // namespace sotto
