// The module's face: one symbol, and how torch is told to behave.
#include <ATen/Parallel.h>

#include "neural/classifier.h"
#include "neural/recommender_tasks.h"
#include "neural/trainings.h"

// OpenBLAS has it, other BLAS libraries do not.
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace sotto::neural {

void use_one_thread_a_call() {
  at::set_num_threads(1);
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
}

namespace {

class TorchModule final : public NeuralModule {
 public:
  [[nodiscard]] Result<std::unique_ptr<NeuralTraining>> start_multvae(const Histories& train,
                                                                      std::size_t catalogue,
                                                                      const NeuralOptions& options,
                                                                      std::uint64_t seed) const override {
    return neural::start_multvae(train, catalogue, options, seed);
  }
  [[nodiscard]] Result<std::unique_ptr<NeuralTraining>> start_neumf(const Histories& train,
                                                                    std::size_t catalogue,
                                                                    const NeuralOptions& options,
                                                                    std::uint64_t seed) const override {
    return neural::start_neumf(train, catalogue, options, seed);
  }
  [[nodiscard]] Result<std::unique_ptr<LocalTask>> start_classifier(
      const Examples& examples, const Dealt& hands, const ClassifierOptions& options) const override {
    return neural::start_classifier(examples, hands, options);
  }
  [[nodiscard]] Result<std::unique_ptr<LocalTask>> start_fed_multvae(
      const DeviceHistories& histories, std::size_t catalogue, const MultVaeOptions& options) const override {
    return neural::start_fed_multvae(histories, catalogue, options);
  }
  [[nodiscard]] Result<std::unique_ptr<LocalTask>> start_fed_neumf(
      const DeviceHistories& histories, std::size_t catalogue, const NeuMfOptions& options) const override {
    return neural::start_fed_neumf(histories, catalogue, options);
  }
};

}  // namespace
}  // namespace sotto::neural

extern "C" __attribute__((visibility("default"))) const sotto::neural::NeuralModule* sotto_neural_5() {
  static const sotto::neural::TorchModule module;
  return &module;
}
