// PersonAttributes: what is known about people beside their ratings (age, occupation), from a file of its
// own.
//
// Laws: each person stands in it once; a column's array has one entry a person: the number of the value, or
// no_value.
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.h"
#include "data/ids.h"

namespace sotto {

struct PersonAttributes {
  IdTable people;
  std::vector<RecordColumn> columns;
  std::vector<std::vector<std::uint32_t>> values;  // one array a column
};

}  // namespace sotto
