// Recommender: a trained model that can score items. Every model of the project, federated or
// central, ends as one; evaluation, top-N lists and similar items need nothing else.
//
// Laws: const calls are safe from several threads at once; a score is finite; the same call gives the
// same bits; scores do not depend on how users and items are cut into blocks, nor on which of the calls
// below gives them.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "data/histories.h"
#include "data/ids.h"

namespace sotto::model {

struct ItemRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

// A tile of scores, as a sweep hands it on: a few users, at most 64 items.
struct ScoreTile {
  std::size_t user = 0;  // place of the first one among the sweep's users
  std::size_t users = 0;
  ItemRange items;
  const float* scores = nullptr;         // item items.begin + n for user + k: scores[k · 64 + n]
  const std::uint64_t* above = nullptr;  // bit n of above[k]: it beats the user's threshold
};
inline constexpr std::size_t tile_items = 64;

// Who listens to a sweep.
class ScoreSink {
 public:
  ScoreSink() = default;
  ScoreSink(const ScoreSink&) = delete;
  ScoreSink& operator=(const ScoreSink&) = delete;
  virtual ~ScoreSink() = default;
  // One a user of the sweep; they may rise while it goes on.
  [[nodiscard]] virtual const float* thresholds() const = 0;
  // Tiles begin whole multiples of 64 items after the sweep; each user's come in ascending order of items.
  virtual void take(const ScoreTile& tile) = 0;
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

  // The same scores handed on tile by tile while they are in the nearest cache, never kept; false where one
  // of them is not a finite number (the sweep goes on). Made of score() unless a model has better.
  [[nodiscard]] virtual bool sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const;
  // out[n] is the score of items[n], which are ascending and within the catalogue.
  virtual void score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const;

  // Scores of the whole catalogue for somebody who was not there at training (fold-in). `history` is
  // ascending and within the catalogue; it may be empty.
  virtual void score_history(std::span<const ItemIndex> history, std::span<float> out) const = 0;

  // Likeness of every item of the catalogue to `item`, larger is more alike; fails where the model
  // has no such notion.
  [[nodiscard]] virtual Status similar(ItemIndex item, std::span<float> out) const = 0;
};

}  // namespace sotto::model
