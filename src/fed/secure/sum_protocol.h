// SumProtocol: a way for some devices to learn a server the sum of what they have and nothing else. Three are
// here: pairwise masks (masked_sum.h), parts for several aggregators (part_sum.h), Paillier (paillier_sum.h).
//
// Laws: the total is the plain sum over the devices that stayed, as integers, or there is none; every message
// goes through its encoding. A simulation says which devices fall silent, and before which step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/executor.h"
#include "fed/collector.h"
#include "privacy/secure/device_set.h"

namespace sotto::fed {

// Before which of its messages a device falls silent. Once its input is sent it is in the sum.
enum class Fate : std::uint8_t { keys, letters, input, agreement, reveal, stays };
[[nodiscard]] constexpr bool in_the_sum(Fate fate) { return fate > Fate::input; }

struct SumTask {
  std::uint64_t session = 0;               // never used twice under one seed
  std::span<const std::uint32_t> members;  // who the devices are, over all sessions
  std::span<const Fate> fates;             // one a member
  std::uint32_t entries = 0;
  std::int32_t limit = 0;  // of each value, either sign
  // What a member (by its place) gives; `out` are zeros. Called from several threads.
  std::function<Status(std::uint32_t place, std::span<std::int32_t> out)> input;
};

struct SumOutcome {
  std::vector<std::int64_t> values;
  DeviceSet survivors;  // by place
  Traffic traffic;      // of all devices
};

class SumProtocol {
 public:
  SumProtocol() = default;
  SumProtocol(const SumProtocol&) = delete;
  SumProtocol& operator=(const SumProtocol&) = delete;
  virtual ~SumProtocol() = default;
  [[nodiscard]] virtual Result<SumOutcome> sum(const SumTask& task) = 0;
};

// Runs make(place, made) for every member on the executor, some at a time, and gives what they made to
// take(place, made) in order. The first failure ends it.
template <class Made>
[[nodiscard]] Status in_batches(Executor& executor, std::size_t members,
                                const std::function<Status(std::uint32_t, Made&)>& make,
                                const std::function<Status(std::uint32_t, const Made&)>& take) {
  const std::size_t batch = 4 * executor.threads();
  for (std::size_t first = 0; first < members; first += batch) {
    const std::size_t count = std::min(batch, members - first);
    std::vector<Made> made(count);
    std::vector<Status> done(count, Status(Done{}));
    executor.run(count,
                 [&](std::size_t n) { done[n] = make(static_cast<std::uint32_t>(first + n), made[n]); });
    for (std::size_t n = 0; n < count; ++n) {
      SOTTO_TRY_DONE(done[n]);
      SOTTO_TRY_DONE(take(static_cast<std::uint32_t>(first + n), made[n]));
    }
  }
  return Done{};
}

}  // namespace sotto::fed
