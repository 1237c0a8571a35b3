// LeakFigures: how well a ranking of the catalogue finds one person's history.
//
// Scores may be tied: figures are then what breaking ties at random would give on average, so that an
// attacker who knows nothing (all scores alike) scores .5 AUC and gains nothing.
#pragma once

#include <span>

#include "data/ids.h"

namespace sotto::privacy {

struct LeakFigures {
  double auc = 0.0;    // chance that an item of the history stands above another item
  double f1 = 0.0;     // at as many guesses as the history has items: precision, recall and F1 are one there
  double tpr = 0.0;    // share of the history found while 1% of the other items are wrongly accused
  double named = 0.0;  // largest share of the history at the top of the list with at least 95% precision

  LeakFigures& operator+=(const LeakFigures& other);
};

// `scores` are finite, one an item; `history` ascends and holds neither no item nor all.
[[nodiscard]] LeakFigures judge_ranking(std::span<const float> scores, std::span<const ItemIndex> history);

}  // namespace sotto::privacy
