// A3: from one negative update to the hidden item. The row of item j tells d = −Δb and p, so the score of the
// positive item that was drawn with it: x̂_ui = x̂_uj + ln((1 − d)/d). The item of the catalogue that has this
// score is the one. Likelihoods instead of an exact match serve noisy messages too: an item's vote is its
// share of the likelihood, beside a background for rows that hold no single triple. A row with Δb > 0 is the
// positive item itself.
#pragma once

#include <span>
#include <vector>

#include "privacy/audit/reading.h"

namespace sotto::privacy {

// Σ q_k² of each row, without the bias.
[[nodiscard]] std::vector<float> squared_lengths(const RowMatrix& shared, std::size_t factors);

// Room that one thread needs.
struct MatchRoom {
  std::vector<float> query;
  std::vector<float> scores;
  std::vector<std::pair<std::uint32_t, double>> likely;
};

// Adds the votes of at most `most_rows` rows, evenly picked. `votes` is one a item of the catalogue.
void add_score_votes(const TranscriptHead& head, const RowMatrix& shared, std::span<const float> squares,
                     const Reading& reading, std::size_t most_rows, MatchRoom& room, std::span<float> votes);

}  // namespace sotto::privacy
