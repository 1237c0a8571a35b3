// Where a federation in one process stands, and what some of its rounds did.
#pragma once

#include <cstdint>

#include "base/private.h"
#include "base/row_hash.h"
#include "base/row_matrix.h"

namespace sotto::sim {

enum class Path : std::uint8_t {
  fast,  // contributions go to the sum without becoming bytes
  wire,  // every message is encoded and decoded with the real codec
};

// What some rounds did, summed.
struct RoundReport {
  std::uint64_t rounds = 0;
  std::uint64_t exchanges = 0;  // visits: a model down, a contribution up
  std::uint64_t triples = 0;
  std::int64_t loss_units = 0;  // Σ −ln σ(x̂) in units of 2^-20, so that order does not matter
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
  std::uint64_t held_rows = 0;  // with a number beyond the range of one update; not those before a resume

  void add(const RoundReport& other) {
    rounds += other.rounds;
    exchanges += other.exchanges;
    triples += other.triples;
    loss_units += other.loss_units;
    bytes_up += other.bytes_up;
    bytes_down += other.bytes_down;
    held_rows += other.held_rows;
  }
  [[nodiscard]] double mean_loss() const {
    constexpr double scale = 1 << 20;
    return triples == 0 ? 0.0 : static_cast<double>(loss_units) / scale / static_cast<double>(triples);
  }
};

// All that a checkpoint must hold.
struct FederationState {
  std::uint32_t round = 0;
  RowMatrix shared;
  Private<RowMatrix> devices;  // one private row a user; none where a model has no private numbers
  RowMatrix memory = {};       // what the server carries along
};

}  // namespace sotto::sim
