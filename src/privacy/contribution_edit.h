// The steps between consent and the wire that change a contribution on its device: clip, fill, noise.
//
// Laws: after clip() no row and no contribution is longer than its limit, in exact integer arithmetic (a row
// that stands in several entries counts as their sum), by the length that the noise is planned for; a
// contribution within the limits keeps its bytes; each number of a row moves towards zero, never past it.
// fill() adds rows of zeros alone, so that which rows a device touched no longer shows; it changes no sum.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "base/result.h"
#include "privacy/contribution.h"

namespace sotto::privacy {

// √Σ v² (L2), or Σ |v| (L1).
enum class ClipLength : std::uint8_t { euclidean, absolute };

// Lengths in units of a contribution's integers (value · 2^bits).
struct ClipLimits {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double row = none;    // of each row
  double whole = none;  // of all rows together
  ClipLength length = ClipLength::euclidean;

  [[nodiscard]] bool any() const { return row != none || whole != none; }
};
[[nodiscard]] Status check(const ClipLimits& limits);

class ContributionEdit {
 public:
  // `contribution` is canonical and stays so.
  explicit ContributionEdit(Contribution& contribution) : contribution_(contribution) {}

  void clip(const ClipLimits& limits);
  // Every row from `first` to before `end`, those it lacks with zeros.
  void fill(std::uint32_t first, std::uint32_t end);
  // width() integers of the n-th row, to be changed by noise; they stay within ±fixed_limit.
  [[nodiscard]] std::span<std::int32_t> values(std::size_t n) const;

 private:
  // Writes a row over its entries, each within ±fixed_limit.
  void spread(std::span<const std::int64_t> row, std::size_t first, std::size_t end) const;

  Contribution& contribution_;
};

}  // namespace sotto::privacy
