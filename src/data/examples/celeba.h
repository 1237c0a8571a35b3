// Pictures described by attributes, and whose they are: the three text files of CelebA (Liu et al. 2015),
// without the pictures themselves.
//   identity_CelebA.txt       picture person
//   list_attr_celeba.txt      the number of pictures; the attributes' names; picture and one value a name, −1
//   or 1 list_eval_partition.txt   picture and 0 (training), 1 (validation) or 2 (test)
// One attribute becomes the label, the others the example: a row of bytes, 0 for −1 and 255 for 1.
//
// Laws: the files may name their pictures in any order, each once, and all the same ones; examples stand in
// the order of the first file, those for testing behind the others (validation counts as training here);
// persons are numbered by first appearance. An error names file and line, and never a picture or a person.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/examples/examples.h"
#include "data/text_source.h"

namespace sotto::data {

// Examples that belong to people.
struct OwnedExamples {
  Examples examples;
  std::vector<std::uint32_t> owners;  // one an example, below `people`
  std::uint32_t people = 0;
};

struct CelebaSources {
  TextSource identities, attributes, partition;
};

struct CelebaOptions {
  std::string label = "Smiling";
  std::string mark = "Blurry";
  bool marked_without = true;  // the mark is given to examples that do not have the attribute
};

[[nodiscard]] Result<OwnedExamples> read_celeba(const CelebaSources& sources,
                                                const CelebaOptions& options = {});

}  // namespace sotto::data
