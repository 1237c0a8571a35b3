// People in a training: the request with everybody's own terms of consent on these data, and the simulated
// device that keeps a ledger.
#pragma once

#include <string_view>

#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "engine/protect/protection.h"

namespace sotto::engine {

// plan.consent.people as the request asks for; terms that are there already stay.
[[nodiscard]] Result<TrainRequest> with_people(TrainRequest request, const Split& split);

// What a ledger adds to the mechanism of a simulated round of which it is known that nothing had noise. A
// real device cannot know that: its task does not tell.
inline constexpr std::string_view without_noise = ", no noise";

// Puts the ledger of the request's device, if it names one, before the chain. Refuses to begin where the
// person changed the policy since the run was planned. Contributions speak of `spoken_of`, which holds what
// people let out; null: of what may be trained on.
[[nodiscard]] Status watch_device(const TrainRequest& request, const Split& split, SumShape shape,
                                  Protection& protection, const Histories* spoken_of = nullptr);

}  // namespace sotto::engine
