// KeptItems: some of a catalogue's items, those that pairs are summed of, each with its place among them.
//
// Laws: items ascend, so that places keep their order; the same numbers choose the same items.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/layers.h"

namespace sotto::privacy {

class KeptItems {
 public:
  // `items` ascend and lie within the catalogue.
  KeptItems(std::vector<std::uint32_t> items, std::size_t catalogue);
  // The `most` items with the largest sums, one sum an item of the catalogue; of equal ones the first.
  [[nodiscard]] static KeptItems most_popular(std::span<const std::int64_t> sums, std::size_t most);

  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t place(std::uint32_t item) const { return places_[item]; }
  [[nodiscard]] const std::vector<std::uint32_t>& items() const { return items_; }
  [[nodiscard]] std::size_t catalogue() const { return places_.size(); }

 private:
  std::vector<std::uint32_t> items_;
  std::vector<std::uint32_t> places_;
};

}  // namespace sotto::privacy
