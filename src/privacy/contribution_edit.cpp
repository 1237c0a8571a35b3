#include "privacy/contribution_edit.h"

#include <cmath>
#include <utility>

namespace sotto {

namespace {

using Squares = unsigned __int128;

Squares squares_of(std::span<const std::int32_t> values) {
  Squares sum = 0;
  for (const std::int32_t value : values)
    sum += static_cast<std::uint64_t>(std::int64_t{value} * std::int64_t{value});
  return sum;
}

// The largest square a length within the limit can have.
Squares most_squares(double limit) {
  constexpr double everything = 0x1.0p62;  // longer than 2^30 · 2^32 values can be
  if (limit >= everything) return ~Squares{0};
  const auto whole = static_cast<std::uint64_t>(limit);  // a limit of full units is exact
  return Squares{whole} * whole;
}

// Towards zero, so that no rounding makes a length grow; `scale` itself is rounded down by a hair.
void shrink(std::span<std::int32_t> values, double scale) {
  for (std::int32_t& value : values) value = static_cast<std::int32_t>(static_cast<double>(value) * scale);
}

double scale_for(Squares most, Squares squares) {
  const double exact = std::sqrt(static_cast<double>(most) / static_cast<double>(squares));
  return exact * (1.0 - 0x1.0p-48);
}

}  // namespace

Status check(const ClipLimits& limits) {
  if (limits.row >= 1.0 && limits.whole >= 1.0) return Done{};
  return fail(Code::usage,
              "a clip limit below one unit of the sums lets nothing out: raise it, or fixed-bits");
}

Squares squared_length(const Contribution& contribution) {
  Squares sum = 0;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    sum += squares_of({contribution.values(n), contribution.width()});
  return sum;
}

std::span<std::int32_t> ContributionEdit::values(std::size_t n) const {
  return {contribution_.values_.data() + n * contribution_.stride_, contribution_.width_};
}

void ContributionEdit::clip(const ClipLimits& limits) {
  const Squares most_row = most_squares(limits.row), most_whole = most_squares(limits.whole);
  Squares sum = 0;
  for (std::size_t n = 0; n < contribution_.size(); ++n) {
    const std::span row = values(n);
    Squares squares = squares_of(row);
    if (squares > most_row) {
      shrink(row, scale_for(most_row, squares));
      squares = squares_of(row);
    }
    sum += squares;
  }
  if (sum <= most_whole) return;
  const double scale = scale_for(most_whole, sum);
  for (std::size_t n = 0; n < contribution_.size(); ++n) shrink(values(n), scale);
}

void ContributionEdit::fill(std::uint32_t first, std::uint32_t end) {
  Contribution filled(contribution_.width_);
  std::size_t next = 0;
  const auto copy = [&] {
    std::copy_n(contribution_.values(next), contribution_.stride_, filled.append(contribution_.row(next)));
    ++next;
  };
  for (std::uint32_t row = first; row < end; ++row) {
    while (next < contribution_.size() && contribution_.row(next) < row) copy();
    if (next == contribution_.size() || contribution_.row(next) != row) filled.append(row);
  }
  while (next < contribution_.size()) copy();
  contribution_ = std::move(filled);
}

}  // namespace sotto
