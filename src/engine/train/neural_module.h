// The module that trains neural models: found beside the program and opened when it is first asked for, so
// that nobody else pays for loading libtorch (docs/adr/0009).
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "model/averaging/network_tasks.h"
#include "neural/training.h"

namespace sotto::engine {

// Where it may lie: beside the program, one folder up (a build's test programs), ../lib/sotto (an
// installation).
[[nodiscard]] std::vector<std::filesystem::path> neural_module_places(const std::filesystem::path& program);

// Stays open until the program ends; a second call gives the same.
[[nodiscard]] Result<const NeuralModule*> open_neural_module();
// The same from the first of `places` where a file lies.
[[nodiscard]] Result<const NeuralModule*> open_neural_module(
    const std::vector<std::filesystem::path>& places);

// Devices' networks by the module: it is ready where its file is there and did not fail to open before, and
// is opened when the first network is trained.
class NeuralTasks final : public NetworkTasks {
 public:
  [[nodiscard]] Status ready() const override;
  [[nodiscard]] Result<std::unique_ptr<LocalTask>> start_fed_multvae(
      const DeviceHistories& histories, std::size_t catalogue, const MultVaeOptions& options) const override;
  [[nodiscard]] Result<std::unique_ptr<LocalTask>> start_fed_neumf(
      const DeviceHistories& histories, std::size_t catalogue, const NeuMfOptions& options) const override;
  [[nodiscard]] Result<std::unique_ptr<LocalTask>> start_classifier(
      const Examples& examples, const Dealt& hands, const ClassifierOptions& options) const override;

 private:
  [[nodiscard]] Result<const NeuralModule*> open() const;

  mutable std::atomic<bool> broken_ = false;
};

}  // namespace sotto::engine
