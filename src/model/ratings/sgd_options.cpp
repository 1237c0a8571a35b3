#include "model/ratings/sgd_options.h"

#include <cmath>
#include <numeric>

#include "base/rng.h"

namespace sotto::model {

Status check(const SgdOptions& options) {
  if (options.factors == 0) return fail(Code::usage, "factors is 0: a vector has at least one");
  if (!(options.learning_rate > 0.0f) || !std::isfinite(options.learning_rate))
    return fail(Code::usage, "the learning rate must be above 0");
  if (!(options.reg >= 0.0f) || !std::isfinite(options.reg))
    return fail(Code::usage, "lambda must be 0 or more");
  return Done{};
}

FactorTable started_table(std::size_t rows, std::size_t width, std::uint64_t seed, FactorStart what) {
  FactorTable table(rows, width);
  for (std::size_t row = 0; row < rows; ++row) {
    Stream draws(seed, Purpose::rating_start, static_cast<std::uint32_t>(what),
                 static_cast<std::uint32_t>(row));
    for (double& value : table.of(row)) value = 0.1 * draws.normal();
  }
  return table;
}

std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed, std::uint32_t epoch) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  Stream draws(seed, Purpose::rating_order, epoch);
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[draws.below(static_cast<std::uint32_t>(left))]);
  return order;
}

}  // namespace sotto::model
