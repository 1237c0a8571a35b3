// What a Fed-CARS model is told, and where its shared rows lie.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/fedcars/maml.h"
#include "model/server_step.h"

namespace sotto::model {

// Where the examples of the outer step come from.
enum class QueryFrom : std::uint8_t {
  training,  // a part of the training data, drawn anew each visit
  test,      // eq. 6 to the letter: the part the model is judged on. It learns what it is asked later.
};
[[nodiscard]] Result<QueryFrom> parse_query_from(const std::string& text);
[[nodiscard]] const char* to_string(QueryFrom query);

struct FedcarsOptions {
  std::uint32_t factors = 10;
  std::uint32_t hidden = 0;  // units of the network on top; 0: none
  // Ratings, and what people choose at all: two halves of each row, learned side by side.
  MamlOptions rating = {};
  float error_bend = 0.0f;  // in stars: larger errors count by their distance, not its square; 0: all squared
  MamlOptions choice = {.steps = 5, .rate = 8.0f, .own_reg = 0.001f, .shared_reg = 0.003f};
  bool chooses = true;          // false: ratings alone; lists are made by predicted ratings
  float choice_rate = 2.0f;     // how much longer the server's steps are for the second half
  std::uint32_t negatives = 3;  // items that were not chosen, a chosen one
  float query_share = 0.5f;     // of a visit's records
  // Of the visits, drawn: so many play somebody new, with at most few_records of their records as support.
  float few_share = 0.1f;
  QueryFrom query = QueryFrom::training;
  float half_life = 0.0f;         // in records: an older one counts less; 0: all count 1
  float choice_half_life = 0.0f;  // the same for choices; 0: as for ratings
  bool popularity_start = true;   // the first round counts: item biases begin as what it says, not at 0
  float init_sd = 0.1f;
  std::uint64_t seed = 1;
  // θ = Σ W_i θ_i is a plain step at rate β along the weighted mean of the slopes; Adam steps along the same.
  ServerStepOptions server = {.step = ServerStep::adam, .rate = 0.005f};
};
[[nodiscard]] Status check(const FedcarsOptions& options);

// Shared rows: one an item, one a context value, the row everybody's own one starts as, the row of every
// example, the network's, and the tally: in the sums Σ |D_i|, in the shared rows one more than the round that
// counted (0: none has yet).
struct FedcarsLayout {
  std::size_t items = 0;
  std::size_t values = 0;
  FmShape shape = {};
  bool chooses = true;

  [[nodiscard]] std::size_t heads() const { return chooses ? 2 : 1; }
  [[nodiscard]] std::uint32_t value_row(std::uint32_t value) const {
    return static_cast<std::uint32_t>(items) + value;
  }
  [[nodiscard]] std::uint32_t start_row() const { return static_cast<std::uint32_t>(items + values); }
  [[nodiscard]] std::uint32_t common_row() const { return start_row() + 1; }
  [[nodiscard]] std::uint32_t network_row() const { return start_row() + 2; }
  [[nodiscard]] std::size_t network_rows() const { return shape.hidden > 0 ? shape.network_rows() : 0; }
  [[nodiscard]] std::uint32_t tally_row() const {
    return network_row() + static_cast<std::uint32_t>(network_rows());
  }
  [[nodiscard]] std::size_t rows() const { return std::size_t{tally_row()} + 1; }
  [[nodiscard]] std::size_t width() const { return heads() * shape.width(); }
};

// On a device the own row and the common one come first, then the network.
[[nodiscard]] inline FedcarsLayout fedcars_layout(std::size_t items, std::size_t values,
                                                  const FedcarsOptions& options) {
  return {.items = items,
          .values = values,
          .shape = {.factors = options.factors, .hidden = options.hidden, .network = 2},
          .chooses = options.chooses};
}

inline constexpr std::uint32_t few_records = 5;

// A person's weight is their number of records; it travels, and what it weighs, in units of so many, so that
// long histories stay within the fixed-point numbers.
inline constexpr float tally_unit = 64.0f;

}  // namespace sotto::model
