#include "model/ratings/rating_biases.h"

namespace sotto::model {

namespace {

// The best bias of a row whose columns have theirs.
double solved(std::span<const Rated> row, double mean, std::span<const double> of_columns, float reg) {
  if (row.empty()) return 0.0;
  double sum = 0.0;
  for (const Rated& entry : row) sum += static_cast<double>(entry.value) - mean - of_columns[entry.column];
  return sum / (static_cast<double>(reg) + static_cast<double>(row.size()));
}

void solve_all(const RatedMatrix& rows, double mean, std::span<const double> of_columns, float reg,
               std::vector<double>& out) {
  for (std::size_t row = 0; row < rows.rows(); ++row) out[row] = solved(rows.of(row), mean, of_columns, reg);
}

}  // namespace

double RatingBiases::user_with(std::span<const Rated> history, float user_reg) const {
  return solved(history, mean, items, user_reg);
}

RatingBiases fit_biases(const RatedMatrix& by_user, const BiasOptions& options) {
  RatingBiases biases{by_user.mean(), std::vector<double>(by_user.rows(), 0.0),
                      std::vector<double>(by_user.columns(), 0.0)};
  const RatedMatrix by_item = by_user.transposed();
  for (std::uint32_t pass = 0; pass < options.passes; ++pass) {
    solve_all(by_item, biases.mean, biases.users, options.item_reg, biases.items);
    solve_all(by_user, biases.mean, biases.items, options.user_reg, biases.users);
  }
  return biases;
}

}  // namespace sotto::model
