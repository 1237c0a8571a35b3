// One person of the demo's world: where they went, and what the model says they might like.
#pragma once

#include <string>

#include "data/split.h"
#include "engine/terminal/console.h"
#include "model/recommender.h"

namespace sotto::cli {

// Somebody typical: a history of usual length, in more than one city, and a list as good as the mean
// precision says.
[[nodiscard]] UserIndex person_to_show(const Split& split, const Recommender& model, double precision);

[[nodiscard]] std::string person_text(const Split& split, const Recommender& model, UserIndex person,
                                      const Console& console);

}  // namespace sotto::cli
