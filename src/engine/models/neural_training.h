// The training of multvae and neumf by the neural module, seen like that of a factor model.
#pragma once

#include "engine/train/factor_training.h"
#include "neural/training.h"

namespace sotto::engine {

// A network of the module, ready for the first epoch.
using StartNetwork = Result<std::unique_ptr<NeuralTraining>> (*)(const NeuralModule& module,
                                                                 const Split& split,
                                                                 const NeuralOptions& options,
                                                                 std::uint64_t seed);

// Opens the module; fails with a sentence where it is not there.
[[nodiscard]] Result<std::unique_ptr<FactorTraining>> start_neural_training(StartNetwork start,
                                                                            const TrainRequest& request,
                                                                            const Split& split,
                                                                            Executor& executor);

}  // namespace sotto::engine
