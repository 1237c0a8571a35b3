// For tests: pictures as the four files of MNIST.
#pragma once

#include <filesystem>

#include "data/examples/idx.h"
#include "engine/files/files.h"

namespace sotto::engine {

// Makes the folder; nothing is packed.
[[nodiscard]] inline Status write_mnist(const std::filesystem::path& folder, const Examples& examples) {
  SOTTO_TRY_DONE(make_folder(folder));
  const IdxFiles training = idx_training_part(examples), test = idx_test_part(examples);
  SOTTO_TRY_DONE(write_file(folder / "train-images-idx3-ubyte", training.images));
  SOTTO_TRY_DONE(write_file(folder / "train-labels-idx1-ubyte", training.labels));
  SOTTO_TRY_DONE(write_file(folder / "t10k-images-idx3-ubyte", test.images));
  return write_file(folder / "t10k-labels-idx1-ubyte", test.labels);
}

}  // namespace sotto::engine
