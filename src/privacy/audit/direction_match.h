// A3′: the match without biases. A row's pull is d·p with unknown d, so only the direction of p shows. But p
// moves by α·d·(q_i − q_j): the next row's direction lies in the plane of this one's and of q_i − q_j for the
// item i that was hidden. Which row came next is found by trying those that point almost the same way.
#pragma once

#include <span>
#include <vector>

#include "privacy/audit/reading.h"

namespace sotto::privacy {

// One row, without its length.
struct SeenStep {
  std::uint32_t item = 0;
  std::vector<float> pull;  // d·p, padded as rows are
};

// The steps of a message of one device. Its negative rows pull one way, its positive ones the opposite: the
// more numerous side is taken for the negative one.
[[nodiscard]] std::vector<SeenStep> steps_of(const Reading& reading, std::size_t stride);

// Adds a vote where the plane of a step and one of the later steps holds exactly one item's q_i − q_j.
// `shared` is what the earlier steps' device had received.
void add_direction_votes(const RowMatrix& shared, std::size_t factors, std::span<const float> squares,
                         double sd, std::span<const SeenStep> earlier, std::span<const SeenStep> later,
                         std::span<float> votes);

}  // namespace sotto::privacy
