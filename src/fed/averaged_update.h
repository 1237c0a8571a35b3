// A round of federated averaging as integers: what a device sends of the model it trained, and what the
// server makes of the sum. The simulator (sim/averaging_federation.h) and the network
// (fed/models/averaging_task.h) use both.
//
// What is sent is Θ_u − Θ, sixteen numbers a row, and a row more whose first number is the count: how much
// the device counts, `one` being as much as everybody. Law: where all count one, what `one` is changes no
// bit of the next model.
#pragma once

#include <span>

#include "base/fixed_point.h"
#include "fed/aggregator.h"
#include "fed/collector.h"
#include "model/server_step.h"
#include "privacy/contribution.h"

namespace sotto::fed {

// Of a network of so many numbers: the model's rows, and the one of the count.
[[nodiscard]] SumShape averaging_shape(std::size_t parameters);

// Writes what a device sends; false where a number leaves the range.
[[nodiscard]] bool write_update(std::span<const float> received, std::span<const float> trained,
                                FixedPoint fixed, std::int32_t one, Contribution& out);

// Divides the sum by the counts and goes that way; where nobody counts, the model stays. False where a number
// is no longer finite.
struct AveragedStep {
  ServerStepOptions server;
  FixedPoint fixed;
  std::int32_t one = 1;
  std::uint32_t round = 0;
};
[[nodiscard]] bool take_step(const AveragedStep& step, Aggregator&& total, RowMatrix& model,
                             RowMatrix& memory);

// Rounds are counted from 0 here, and from 1 where people read of them.
[[nodiscard]] Error numbers_diverged(std::uint32_t round);

}  // namespace sotto::fed
