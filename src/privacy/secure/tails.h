// Exact chances of drawing without replacement, for the thresholds of a secure sum.
#pragma once

#include <cstdint>
#include <vector>

#include "base/layers.h"

namespace sotto::privacy {

// Of `all` devices `marked` are of a kind; `drawn` of them are drawn at random.
struct Draw {
  std::uint32_t all = 0;
  std::uint32_t marked = 0;
  std::uint32_t drawn = 0;
};

class DrawTails {
 public:
  explicit DrawTails(std::uint32_t most_devices);

  // The smallest count that the marked among the drawn pass with chance `failure` at most.
  [[nodiscard]] std::uint32_t most(const Draw& draw, double failure) const;
  // The chance that all of the drawn are marked.
  [[nodiscard]] double all_marked(const Draw& draw) const;

 private:
  [[nodiscard]] double log_choose(std::uint32_t n, std::uint32_t k) const;
  [[nodiscard]] double chance(const Draw& draw, std::uint32_t count) const;
  std::vector<double> log_factorial_;
};

}  // namespace sotto::privacy
