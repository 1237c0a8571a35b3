// PersonAttributes: what is known about people beside their ratings (age, occupation), from a file of its
// own. Known: u.user (id|age|gender|occupation|zip: ages become decades), users.dat
// (id::gender::age::occupation::zip), and any table with a header whose first column is the user. Zip codes
// of the first two are left out: with age and gender they tell who somebody is.
// Numbers of more than 32 different values become tenths of the people, "18 to 23"; more than 256 different
// words in a column are refused, because a value that hardly two people share teaches nothing. Empty cells,
// "NA" and "?" say nothing. Latin-1 becomes UTF-8. An error names source and line, and never an id.
//
// Laws: each person stands in it once; a column's array has one entry a person: the number of the value, or
// no_value.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"
#include "data/ids.h"
#include "data/text_source.h"

namespace sotto::data {

// Of a column that does not hold numbers; and how many of them a person can be asked.
inline constexpr std::size_t most_attribute_values = 256;
inline constexpr std::size_t most_attributes = 64;

struct PersonAttributes {
  IdTable people;
  std::vector<RecordColumn> columns;
  std::vector<std::vector<std::uint32_t>> values;  // one array a column
};

[[nodiscard]] Result<PersonAttributes> load_person_attributes(const TextSource& source);

}  // namespace sotto::data
