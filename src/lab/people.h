// People in a training: the request with everybody's own terms of consent on these data, and the simulated
// device that keeps a ledger.
#pragma once

#include "base/result.h"
#include "data/split.h"
#include "lab/request.h"

namespace sotto {

// plan.consent.people as the request asks for; terms that are there already stay.
[[nodiscard]] Result<TrainRequest> with_people(TrainRequest request, const Split& split);

}  // namespace sotto
