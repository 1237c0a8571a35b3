// NumberRows: a contribution that is a long list of numbers rather than rows of a model. They lie sixteen a
// row.
//
// Laws: places ascend, each once, so that what comes out is canonical. Here everything is let out: whoever
// puts numbers in has asked for consent before (an ItemSet's items, a step of a model, criteria that are told
// and the scores made of them).
#pragma once

#include <cstdint>
#include <span>

#include "base/assert.h"
#include "privacy/contribution.h"

namespace sotto::privacy {

inline constexpr std::size_t numbers_a_row = 16;
[[nodiscard]] inline std::size_t rows_for(std::size_t numbers) {
  return (numbers + numbers_a_row - 1) / numbers_a_row;
}

class NumberRows {
 public:
  // Empties `out`, which has sixteen numbers a row.
  explicit NumberRows(Contribution& out)
      : pipeline_(ConsentGate({.pi = 1.0}, 0, 0, UserIndex{}), FixedPoint{}, out) {
    SOTTO_ASSERT(out.width() == numbers_a_row, "numbers lie sixteen a row");
    out.clear();
  }
  void put(std::size_t place, std::int32_t value) {
    const auto row = static_cast<std::uint32_t>(place / numbers_a_row);
    if (at_ == nullptr || row != row_) at_ = pipeline_.open(Evidence::positive, row), row_ = row;
    at_[place % numbers_a_row] = value;
  }

 private:
  ContributionPipeline pipeline_;
  std::int32_t* at_ = nullptr;
  std::uint32_t row_ = 0;
};

// These, from place 0 on.
inline void put_numbers(std::span<const std::int32_t> numbers, Contribution& out) {
  NumberRows rows(out);
  for (std::size_t n = 0; n < numbers.size(); ++n) rows.put(n, numbers[n]);
}

}  // namespace sotto::privacy
