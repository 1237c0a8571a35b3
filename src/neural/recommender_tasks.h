// MultVAE and NeuMF for federated averaging: a device is a user, and trains on the own history alone.
//
//   MultVAE   all matrices are shared; a step sees the whole history, so `batch` has no say. β rises from 0
//             over as many rounds as a central training's epochs
//   NeuMF     items' rows and layers are shared, the user's row stays on the device (its private row); a
//             device draws its own negatives, anew each epoch; `batch` counts interactions, which bring
//             theirs along
// The flat vector is model/averaging/flat_matrices.h's; steps are plain gradient steps. Law: with one step of
// everybody and a plain mean, MultVAE's model goes as by one central step on a batch of all users, and
// NeuMF's where histories are of one length. Devices keep nothing back here: who wants to know how good the
// model is ranks by it (model/central/multvae.h, neumf.h).
#pragma once

#include <memory>

#include "base/result.h"
#include "data/histories.h"
#include "model/averaging/local_task.h"
#include "model/central/neural_options.h"

namespace sotto {

// The histories outlive the task. Options are checked before.
[[nodiscard]] Result<std::unique_ptr<LocalTask>> start_fed_multvae(const Histories& train,
                                                                   std::size_t catalogue,
                                                                   const MultVaeOptions& options);
[[nodiscard]] Result<std::unique_ptr<LocalTask>> start_fed_neumf(const Histories& train,
                                                                 std::size_t catalogue,
                                                                 const NeuMfOptions& options);

}  // namespace sotto
