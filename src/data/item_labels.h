// Names and categories of items, from files that stand beside the interactions.
//
// Known: movies.dat (id::title::genres), u.item (id|title|…|19 genre flags), movies.csv, and any TSV or
// CSV of item, name and perhaps category, with or without a header. Latin-1 becomes UTF-8.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"
#include "data/split.h"
#include "data/text_source.h"

namespace sotto::data {

struct ItemLabels {
  IdTable items;
  std::vector<std::string> names;       // one an item
  std::vector<std::string> categories;  // one an item, or none at all
};

[[nodiscard]] Result<ItemLabels> load_item_labels(const TextSource& source);

// Gives the dataset's items the names and categories of those with the same id; returns how many had
// one. Items without keep what they had.
std::size_t attach_item_labels(const ItemLabels& labels, Dataset& dataset);
std::size_t attach_item_labels(const ItemLabels& labels, Split& split);

}  // namespace sotto::data
