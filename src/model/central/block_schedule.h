// BlockSchedule: which range of users may take its next stay with an item set, for threads that work on one
// epoch together without waiting for each other after every stay.
//
// In stay s range a holds the item set that range a + 1 held in stay s − 1 (bpr_blocks.h): its stay may begin
// when both have stay s − 1 behind them. Law: of all stays that are not over, one at least is under way or
// may begin, so that threads that take what they find come to the end, however many they are.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/layers.h"

namespace sotto::model {

class BlockSchedule {
 public:
  struct Stay {
    std::uint32_t range;
    std::uint32_t number;
  };

  BlockSchedule(std::uint32_t ranges, std::uint32_t stays);

  // A stay that may begin now, and that nobody else gets: of range `first` if it can be, else of the ranges
  // that follow it in turn. None: nothing can begin at this moment.
  [[nodiscard]] std::optional<Stay> take(std::uint32_t first);
  // What happened in the stay is seen by whoever takes the range or its item set next.
  void finish(const Stay& stay);
  [[nodiscard]] bool all_over() const;

 private:
  // Each in a cache line of its own: others look at it all the time.
  struct alignas(64) Range {
    std::atomic<std::uint32_t> begun{0};
    std::atomic<std::uint32_t> over{0};
  };
  [[nodiscard]] std::optional<Stay> take_of(std::uint32_t range);

  std::vector<Range> ranges_;
  std::uint32_t stays_;
  std::atomic<std::uint32_t> open_;  // ranges that have stays left
};

}  // namespace sotto::model
