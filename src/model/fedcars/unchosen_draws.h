// UnchosenDraws: items that somebody did not choose, each as likely as any other, for the choices of
// Fed-CARS.
//
// One draw an item, however much was chosen: the n-th of the others is found by bisection, never by trying
// again (a device that has nearly all of a catalogue would try for long). What is kept back by consent is not
// among the chosen: it is as if its person did not have it.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "data/ids.h"

namespace sotto::model {

class UnchosenDraws {
 public:
  // `chosen`, items of [0, items) that ascend, outlive this.
  UnchosenDraws(const Stream& stream, std::span<const std::uint32_t> chosen, std::size_t items)
      : stream_(stream), chosen_(chosen), items_(static_cast<std::uint32_t>(items)) {}

  [[nodiscard]] bool any() const { return chosen_.size() < items_; }
  // There are any.
  [[nodiscard]] ItemIndex next() {
    const std::uint32_t others = stream_.below(items_ - static_cast<std::uint32_t>(chosen_.size()));
    // The item with so many others before it: as many more as are chosen up to there.
    std::uint32_t low = 0, high = static_cast<std::uint32_t>(chosen_.size());
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (chosen_[middle] - middle <= others)
        low = middle + 1;
      else
        high = middle;
    }
    return ItemIndex{others + low};
  }

 private:
  Stream stream_;
  std::span<const std::uint32_t> chosen_;
  std::uint32_t items_;
};

}  // namespace sotto::model
