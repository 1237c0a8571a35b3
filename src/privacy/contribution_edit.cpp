#include "privacy/contribution_edit.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace sotto::privacy {

namespace {

using Squares = unsigned __int128;

Squares squares_of(std::span<const std::int64_t> values) {
  Squares sum = 0;
  for (const __int128 value : values) sum += static_cast<Squares>(value * value);
  return sum;
}

Squares absolutes_of(std::span<const std::int64_t> values) {
  Squares sum = 0;
  for (const __int128 value : values) sum += static_cast<Squares>(value < 0 ? -value : value);
  return sum;
}

// What adds up over rows: squares, or absolute values.
Squares size_of(std::span<const std::int64_t> values, ClipLength length) {
  return length == ClipLength::absolute ? absolutes_of(values) : squares_of(values);
}

// Behind the entries of the row that begins at n.
std::size_t end_of_row(const Contribution& contribution, std::size_t n) {
  std::size_t end = n + 1;
  while (end < contribution.size() && contribution.row(end) == contribution.row(n)) ++end;
  return end;
}

// What the entries from `first` to before `end` add up to.
void add_entries(const Contribution& contribution, std::size_t first, std::size_t end,
                 std::span<std::int64_t> sums) {
  std::ranges::fill(sums, 0);
  for (std::size_t n = first; n < end; ++n)
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += contribution.values(n)[k];
}

// The largest size of what is within the limit.
Squares most_size(double limit, ClipLength length) {
  constexpr double everything = 0x1.0p62;  // longer than 2^30 · 2^32 values can be
  if (limit >= everything) return ~Squares{0};
  const auto whole = static_cast<std::uint64_t>(limit);  // a limit of full units is exact
  return length == ClipLength::absolute ? Squares{whole} : Squares{whole} * whole;
}

// Towards zero, so that no rounding makes a length grow; `scale` itself is rounded down by a hair.
void shrink(std::span<std::int64_t> values, double scale) {
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(static_cast<double>(value) * scale);
}

double scale_for(Squares most, Squares size, ClipLength length) {
  const double ratio = static_cast<double>(most) / static_cast<double>(size);
  return (length == ClipLength::absolute ? ratio : std::sqrt(ratio)) * (1.0 - 0x1.0p-48);
}

}  // namespace

Status check(const ClipLimits& limits) {
  if (limits.row >= 1.0 && limits.whole >= 1.0) return Done{};
  return fail(Code::usage,
              "a clip limit below one unit of the sums lets nothing out: raise it, or fixed-bits");
}

std::span<std::int32_t> ContributionEdit::values(std::size_t n) const {
  return {contribution_.values_.data() + n * contribution_.stride_, contribution_.width_};
}

void ContributionEdit::clip(const ClipLimits& limits) {
  const ClipLength length = limits.length;
  const Squares most_row = most_size(limits.row, length), most_whole = most_size(limits.whole, length);
  std::vector<std::int64_t> row(contribution_.width());
  Squares sum = 0;
  bool shrank = false, repeats = false;
  for (std::size_t n = 0, end = 0; n < contribution_.size(); n = end) {
    end = end_of_row(contribution_, n);
    repeats |= end > n + 1;
    add_entries(contribution_, n, end, row);
    Squares size = size_of(row, length);
    if (size > most_row) {
      shrink(row, scale_for(most_row, size, length));
      spread(row, n, end);
      size = size_of(row, length);
      shrank = true;
    }
    sum += size;
  }
  if (sum > most_whole) {
    const double scale = scale_for(most_whole, sum, length);
    for (std::size_t n = 0, end = 0; n < contribution_.size(); n = end) {
      end = end_of_row(contribution_, n);
      add_entries(contribution_, n, end, row);
      shrink(row, scale);
      spread(row, n, end);
    }
    shrank = true;
  }
  if (shrank && repeats) contribution_.make_canonical();  // what has become short fits one entry
}

void ContributionEdit::spread(std::span<const std::int64_t> row, std::size_t first, std::size_t end) const {
  for (std::size_t k = 0; k < row.size(); ++k) {
    std::int64_t left = row[k];
    for (std::size_t n = first; n < end; ++n) {
      const std::int64_t part = std::clamp<std::int64_t>(left, -fixed_limit, fixed_limit);
      values(n)[k] = static_cast<std::int32_t>(part);
      left -= part;
    }
  }
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

}  // namespace sotto::privacy
