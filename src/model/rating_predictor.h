// RatingPredictor: a model that says what somebody would give an item, on the scale of the data. A
// recommender that is one too ranks by its own scores (model/recommender.h), which need not be ratings.
//
// Laws: const calls are safe from several threads at once; a prediction is finite and on the scale; the same
// call gives the same bits. Items outside the catalogue are predicted too, from what is known without them.
#pragma once

#include <cstdint>
#include <span>

#include "data/ids.h"

namespace sotto::model {

// An item and the circumstances: the values of data/contexts.h that come from the record; none: not known.
struct Occasion {
  ItemIndex item;
  std::span<const std::uint32_t> values = {};
};

class RatingPredictor {
 public:
  RatingPredictor() = default;
  RatingPredictor(const RatingPredictor&) = delete;
  RatingPredictor& operator=(const RatingPredictor&) = delete;
  virtual ~RatingPredictor() = default;

  // One a given occasion.
  virtual void predict(UserIndex user, std::span<const Occasion> occasions, std::span<float> out) const = 0;
  // Whether a prediction rests on more than the mean of all ratings: on this person's or this item's.
  [[nodiscard]] virtual bool knows(UserIndex user, ItemIndex item) const = 0;
};

}  // namespace sotto::model
