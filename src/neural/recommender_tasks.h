// MultVAE and NeuMF for federated averaging: a device is a user, and trains on the own history alone.
//
//   MultVAE   all matrices are shared; a step sees the whole history, so `batch` has no say. β rises from 0
//             over `anneal_epochs` rounds
//   NeuMF     items' rows and layers are shared, the user's row stays on the device (its private row); a
//             device draws its own negatives, anew each epoch; `batch` counts interactions, which bring
//             theirs along
// The flat vector is model/averaging/flat_matrices.h's; steps are plain gradient steps. Law: with one step of
// everybody and a plain mean, MultVAE's model goes as by one central step on a batch of all users, and
// NeuMF's where histories are of one length. Consent decides what a device trains on
// (model/averaging/device_histories.h): what it does not speak of in a round moves nothing in that round, and
// what it never speaks of is as if it were not there. Who wants to know how good the model is ranks by it
// (model/central/multvae.h, neumf.h).
#pragma once

#include <memory>

#include "base/result.h"
#include "model/averaging/device_histories.h"
#include "model/averaging/local_task.h"
#include "model/central/neural_options.h"

namespace sotto::neural {

// The histories outlive the task. Options are checked before.
[[nodiscard]] Result<std::unique_ptr<LocalTask>> start_fed_multvae(const DeviceHistories& histories,
                                                                   std::size_t catalogue,
                                                                   const MultVaeOptions& options);
[[nodiscard]] Result<std::unique_ptr<LocalTask>> start_fed_neumf(const DeviceHistories& histories,
                                                                 std::size_t catalogue,
                                                                 const NeuMfOptions& options);

}  // namespace sotto::neural
