// The idx format of MNIST: pictures of a byte a point in one file (magic number 0x00000803: count, height,
// width), their labels in another (0x00000801: count). Numbers are big-endian.
//
// Laws: no file is opened here (engine/files/examples_files.h does that and unpacks); what a header claims is
// held against the length of the file before anything is allocated by it; what is written reads back the
// same. An error names the file, what is wrong and what to do.
#pragma once

#include <cstdint>

#include "base/codec.h"
#include "base/result.h"
#include "data/examples/examples.h"
#include "data/text_source.h"

namespace sotto::data {

struct IdxOptions {
  std::uint32_t height = 0, width = 0;  // that the pictures must have; 0: as they are
  std::uint32_t classes = 10;           // labels are below it
};

// All for training. The sources are the files' bytes, unpacked.
[[nodiscard]] Result<Examples> read_idx(const TextSource& images, const TextSource& labels,
                                        const IdxOptions& options = {});

// A training part and a test part, each a pair of files; the test part's pictures must be of the same size.
struct IdxSources {
  TextSource train_images, train_labels, test_images, test_labels;
};
[[nodiscard]] Result<Examples> read_idx(const IdxSources& sources, const IdxOptions& options = {});

// The training part or the test part as files.
struct IdxFiles {
  Bytes images, labels;
};
[[nodiscard]] IdxFiles idx_training_part(const Examples& examples);
[[nodiscard]] IdxFiles idx_test_part(const Examples& examples);

}  // namespace sotto::data
