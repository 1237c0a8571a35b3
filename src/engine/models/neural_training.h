// The training of multvae and neumf by the neural module, seen like that of a factor model.
#pragma once

#include "engine/train/factor_training.h"

namespace sotto {

// Opens the module; fails with a sentence where it is not there.
[[nodiscard]] Result<std::unique_ptr<FactorTraining>> start_neural_training(const TrainRequest& request,
                                                                            const Split& split,
                                                                            Executor& executor);

}  // namespace sotto
