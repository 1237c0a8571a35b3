// Features out of what a file of item names says (data/item_labels.h): each category of "Comedy|Drama" is
// <category, Comedy>; a year at the end of a name, "Heat (1995)", is <year, 1995> and <decade, 1990s>.
#pragma once

#include <span>
#include <string>

#include "data/feature_list.h"
#include "data/ids.h"

namespace sotto::data {

// `names` and `categories` have one entry an item, or none at all. The list is settled.
void add_label_features(const IdTable& items, std::span<const std::string> names,
                        std::span<const std::string> categories, FeatureList& list);

}  // namespace sotto::data
