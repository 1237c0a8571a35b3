// The module that trains neural models: found beside the program and opened when it is first asked for, so
// that nobody else pays for loading libtorch (docs/adr/0009).
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
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

}  // namespace sotto::engine
