// Federated EASE under differential privacy: two noisy sums of the whole population and nothing else. The
// first finds the popular items with a small part of the budget; the second is their Gram matrix, to which
// everybody adds v vᵀ cut to the same length. What the noise drowned is taken out of it
// (model/central/noisy_gram.h), and EASE is solved from the rest. Where λ is to be chosen, people judge what
// follows from each (engine/protect/lambda_choice.h).
//
// Laws: the model is a function of the two noisy sums, and of the choice; scoring, and recency in it, happen
// on the device and cost nothing.
#pragma once

#include "engine/train/direct_model.h"
#include "model/central/ease.h"

namespace sotto::engine {

[[nodiscard]] Result<DirectModel> make_private_ease(const TrainRequest& request, const Split& split,
                                                    const EaseOptions& asked_options, Executor& executor);

}  // namespace sotto::engine
