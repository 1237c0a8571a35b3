// Classifiers for federated averaging on libtorch (model/averaging/classifier_options.h).
//
// A device's loss is the mean cross entropy of a batch; gradients are taken a piece of the batch at a time
// and added in order, so that memory is bounded and the caches hold a piece. Laws: torch looks at the flat
// vector itself (on an accelerator, at a copy); nothing is drawn by torch; the same call gives the same bytes
// on one machine, whichever thread makes it and whatever others do meanwhile.
#pragma once

#include <memory>

#include "base/result.h"
#include "data/examples/examples.h"
#include "model/averaging/classifier_options.h"
#include "model/averaging/local_task.h"

namespace sotto::neural {

// Examples and hands outlive the task.
[[nodiscard]] Result<std::unique_ptr<LocalTask>> start_classifier(const Examples& examples,
                                                                  const Dealt& hands,
                                                                  const ClassifierOptions& options);

}  // namespace sotto::neural
