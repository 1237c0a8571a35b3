#include "privacy/secure/tails.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace sotto::privacy {

DrawTails::DrawTails(std::uint32_t most_devices) : log_factorial_(std::size_t{most_devices} + 1, 0.0) {
  for (std::size_t n = 2; n < log_factorial_.size(); ++n)
    log_factorial_[n] = log_factorial_[n - 1] + std::log(static_cast<double>(n));
}

double DrawTails::log_choose(std::uint32_t n, std::uint32_t k) const {
  return log_factorial_[n] - log_factorial_[k] - log_factorial_[n - k];
}

double DrawTails::chance(const Draw& draw, std::uint32_t count) const {
  const std::uint32_t others = draw.all - draw.marked;
  if (count > draw.marked || count > draw.drawn || draw.drawn - count > others) return 0.0;
  return std::exp(log_choose(draw.marked, count) + log_choose(others, draw.drawn - count) -
                  log_choose(draw.all, draw.drawn));
}

std::uint32_t DrawTails::most(const Draw& draw, double failure) const {
  SOTTO_ASSERT(draw.all < log_factorial_.size() && draw.marked <= draw.all && draw.drawn <= draw.all,
               "a draw is from what is there");
  std::uint32_t count = std::min(draw.marked, draw.drawn);
  for (double sum = 0.0; count > 0; --count) {  // the rare ones first
    sum += chance(draw, count);
    if (sum > failure) break;
  }
  return count;
}

double DrawTails::all_marked(const Draw& draw) const {
  return draw.drawn == 0 ? 1.0 : chance(draw, draw.drawn);
}

}  // namespace sotto::privacy
