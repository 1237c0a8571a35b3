// The server's half of Fed-CARS at work in a round. A part of model/fedcars/fedcars.h, which includes it.
#pragma once

#include <algorithm>
#include <vector>

#include "model/fedcars/fedcars.h"

namespace sotto::model {

class Fedcars::Server {
 public:
  Server(const Fedcars& model, std::uint32_t round, FixedPoint fixed, RowMatrix& shared, RowMatrix& memory)
      : model_(model),
        round_(round),
        unit_(1.0f / fixed.scale()),
        shared_(shared),
        sums_(shared.rows(), shared.width()),
        heard_(shared.rows(), 0),
        steps_(model.options().server, round - rounds_before(model, round, shared), shared, memory) {}

  template <class Integer>
  void take(std::uint32_t row, const Integer* sum) {
    heard_[row] = 1;
    for (std::size_t k = 0; k < sums_.width(); ++k) sums_.row(row)[k] = static_cast<float>(sum[k]) * unit_;
  }
  // Moves the rows by all that was taken.
  [[nodiscard]] bool solved();

 private:
  // The rounds up to the one that counted: they moved nothing.
  [[nodiscard]] static std::uint32_t rounds_before(const Fedcars& model, std::uint32_t round,
                                                   const RowMatrix& shared) {
    return std::min(round, static_cast<std::uint32_t>(shared.row(model.layout().tally_row())[0]));
  }
  void start_from_counts();

  const Fedcars& model_;
  std::uint32_t round_;
  float unit_;
  RowMatrix& shared_;
  RowMatrix sums_;
  std::vector<std::uint8_t> heard_;
  RoundSteps steps_;
};

}  // namespace sotto::model
