#include "model/central/block_schedule.h"

namespace sotto::model {

BlockSchedule::BlockSchedule(std::uint32_t ranges, std::uint32_t stays)
    : ranges_(ranges), stays_(stays), open_(stays == 0 ? 0 : ranges) {}

std::optional<BlockSchedule::Stay> BlockSchedule::take(std::uint32_t first) {
  for (std::uint32_t n = 0; n < ranges_.size(); ++n)
    if (const auto stay = take_of((first + n) % static_cast<std::uint32_t>(ranges_.size()))) return stay;
  return std::nullopt;
}

std::optional<BlockSchedule::Stay> BlockSchedule::take_of(std::uint32_t range) {
  Range& own = ranges_[range];
  const Range& next = ranges_[(range + 1) % ranges_.size()];
  std::uint32_t number = own.over.load(std::memory_order_acquire);
  if (number == stays_ || next.over.load(std::memory_order_acquire) < number) return std::nullopt;
  if (!own.begun.compare_exchange_strong(number, number + 1, std::memory_order_relaxed)) return std::nullopt;
  return Stay{range, number};
}

void BlockSchedule::finish(const Stay& stay) {
  ranges_[stay.range].over.store(stay.number + 1, std::memory_order_release);
  if (stay.number + 1 == stays_) open_.fetch_sub(1, std::memory_order_release);
}

bool BlockSchedule::all_over() const { return open_.load(std::memory_order_acquire) == 0; }

}  // namespace sotto::model
