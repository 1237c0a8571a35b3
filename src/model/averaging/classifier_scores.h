// What a trained classifier says of an example, without libtorch: for a device that asks a model.
//
// Law: the scores are those that the classifier is trained by (neural/classifier_network.h), up to rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/averaging/classifier_options.h"

namespace sotto::model {

// One a class. `form` has the examples' height, width and classes, `flat` the network's numbers; all of them
// fit each other.
[[nodiscard]] std::vector<float> classifier_scores(const ClassifierOptions& options, const Examples& form,
                                                   std::span<const float> flat,
                                                   std::span<const std::uint8_t> example);
// As shares of one.
void make_shares(std::span<float> scores);

}  // namespace sotto::model
