#include "fed/averaged_update.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <vector>

#include "privacy/number_rows.h"

namespace sotto::fed {

SumShape averaging_shape(std::size_t parameters) {
  return {.rows = rows_for(parameters) + 1, .width = numbers_a_row};
}

bool write_update(std::span<const float> received, std::span<const float> trained, FixedPoint fixed,
                  std::int32_t one, Contribution& out) {
  NumberRows numbers(out);
  for (std::size_t n = 0; n < received.size(); ++n) {
    const float scaled = (trained[n] - received[n]) * fixed.scale();
    if (!(std::abs(scaled) <= static_cast<float>(fixed_limit))) return false;
    numbers.put(n, quantise<fixed_limit>(scaled));
  }
  numbers.put(rows_for(received.size()) * numbers_a_row, one);
  return true;
}

bool take_step(const AveragedStep& step, Aggregator&& total, RowMatrix& model, RowMatrix& memory) {
  const std::size_t rows = model.rows();
  std::vector<double> sums(rows * numbers_a_row, 0.0);
  double count = 0.0;
  std::move(total).release([&](std::uint32_t row, const auto* values) {
    if (row == rows) {
      count = static_cast<double>(values[0]);
    } else {
      for (std::size_t k = 0; k < numbers_a_row; ++k)
        sums[row * numbers_a_row + k] = static_cast<double>(values[k]);
    }
  });
  if (!(count > 0.0)) return true;                 // whoever was heard counts nothing: the model stays
  count *= double{step.fixed.scale()} / step.one;  // in the update's units
  RoundSteps steps(step.server, step.round, model, memory);
  std::array<float, numbers_a_row> slope;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < numbers_a_row; ++k)
      slope[k] = static_cast<float>(-sums[row * numbers_a_row + k] / count);
    steps.move(row, slope.data(), numbers_a_row);
  }
  return steps.finite();
}

Error numbers_diverged(std::uint32_t round) {
  return fail(Code::diverged,
              fmt::format("training diverged in round {}: the model's numbers left the range that "
                          "can be sent; lower the learning rate",
                          round + 1));
}

}  // namespace sotto::fed
