// What a sum that shows no contribution costs a device, reckoned before anybody sends anything.
#pragma once

#include "fed/collector.h"
#include "fed/secure/secure_collector.h"

namespace sotto::fed {

// The bytes that a device sends where nobody falls silent and it is in the largest group: the most that it
// can be. Not of plain sums, where they follow from what there is to send.
[[nodiscard]] Result<std::uint64_t> sum_bytes_up(const SumOptions& sum, std::size_t devices, SumShape shape);

}  // namespace sotto::fed
