// The two trainings that the module offers, for its factory and for tests. See neural/training.h.
#pragma once

#include <memory>

#include "neural/training.h"

namespace sotto::neural {

// Torch and its BLAS keep to the thread that calls them: parallel is only what the executor runs.
void use_one_thread_a_call();

[[nodiscard]] Result<std::unique_ptr<NeuralTraining>> start_multvae(const Histories& train,
                                                                    std::size_t catalogue,
                                                                    const NeuralOptions& options,
                                                                    std::uint64_t seed);
[[nodiscard]] Result<std::unique_ptr<NeuralTraining>> start_neumf(const Histories& train,
                                                                  std::size_t catalogue,
                                                                  const NeuralOptions& options,
                                                                  std::uint64_t seed);

}  // namespace sotto::neural
