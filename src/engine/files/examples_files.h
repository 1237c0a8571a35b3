// Where labelled examples lie on disk: MNIST as four idx files in a folder, CelebA as three text files. Each
// may be packed with zstd (with or without .zst at the end of its name).
//
// Law: an error names the folder or file, and which names were looked for.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/examples/celeba.h"
#include "data/examples/examples.h"
#include "data/examples/idx.h"

namespace sotto::engine {

// train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte.
[[nodiscard]] Result<Examples> read_mnist(const std::filesystem::path& folder,
                                          const IdxOptions& options = {});

// identity_CelebA.txt, list_attr_celeba.txt, list_eval_partition.txt.
[[nodiscard]] Result<OwnedExamples> read_celeba(const std::filesystem::path& folder,
                                                const CelebaOptions& options = {});

}  // namespace sotto::engine
