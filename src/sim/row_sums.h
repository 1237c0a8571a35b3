// What the lanes of a round add up, and how what is sent travels (sim/round_driver.h).
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "fed/aggregator.h"
#include "fed/messages.h"
#include "privacy/item_set.h"

namespace sotto::sim {

// Sums of rows, one round after the other; the room for them is taken when it is first needed.
class RowSums {
 public:
  RowSums(std::size_t rows, std::size_t width) : rows_(rows), width_(width) {}

  [[nodiscard]] Aggregator open() {
    if (!space_) space_.emplace(rows_, width_);
    return Aggregator(*space_);
  }
  // What came by the short way, had it been encoded.
  [[nodiscard]] std::uint64_t bytes_of(const Aggregator& sum) const {
    return encoded_contribution_bytes(sum.contributions(), sum.distinct_rows(), width_);
  }

 private:
  std::size_t rows_, width_;
  std::optional<SumSpace> space_;
};

// Makes bytes of what is sent and reads them again; says how many there were.
[[nodiscard]] Result<std::uint64_t> over_the_wire(std::uint32_t round, Contribution& sent);
[[nodiscard]] Result<std::uint64_t> over_the_wire(std::uint32_t round, ItemSet& sent);

}  // namespace sotto::sim
