// What the levels of consent meant where it was measured, for the person who chooses one.
//
// MovieLens 100K, temporal 80/20, FPL (pFPL+, 20 factors). Lists: `sotto train --epochs 150 --init-sd 0.01
// --consent-mix open=0.7,balanced=0.1,careful=0.1,closed=0.1`, ten seeds, means over the people of a level.
// What is found: the best attacker of `sotto audit --epochs 30 --pi …`, everybody attacked; guessing by
// popularity finds 31%.
#pragma once

#include <array>
#include <string_view>

#include "base/layers.h"

namespace sotto::cli {

struct LevelFigures {
  std::string_view level;
  double precision;   // P@10 of the lists of people at this level
  double found_open;  // F1 of the best guess at a history by a server that reads single messages
};

inline constexpr double found_by_popularity = 0.31;
inline constexpr std::array<LevelFigures, 4> level_figures{
    {{"closed", 0.150, 0.0}, {"careful", 0.148, 0.999}, {"balanced", 0.153, 0.996}, {"open", 0.151, 0.999}}};

}  // namespace sotto::cli
