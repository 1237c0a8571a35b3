// People who take no part (closed, paused, withdrawn): their devices receive the model and learn their own
// row from it there, by what their rules and their share of the history leave, so that their lists are
// theirs. Nothing of it leaves. Who lets nothing of the history be used keeps the row that suits everybody.
#pragma once

#include "base/executor.h"
#include "engine/plan/request.h"
#include "engine/train/training.h"

namespace sotto::engine {

// Fills the private rows of such people in a model that was learned without them; others stay as they are.
[[nodiscard]] Status fold_in_silent(const TrainRequest& request, const Split& split, Parameters& learned,
                                    Executor& executor);

}  // namespace sotto::engine
