// Datasets as text that the loaders read again: one canonical form, tab- or comma-separated.
#pragma once

#include <string>

#include "base/result.h"
#include "data/dataset.h"
#include "data/person_attributes.h"

namespace sotto::engine {

// What a file name's ending asks for: ".tsv" a tab, ".csv" a comma, each also with ".zst".
[[nodiscard]] Result<char> separator_for(const std::string& path);

// A header and a line an interaction: user, item, then rating, time and category where there are any.
[[nodiscard]] std::string interactions_text(const Dataset& dataset, char separator, bool with_categories);

// A header and a line an item: item, name, category.
[[nodiscard]] std::string items_text(const Dataset& dataset, char separator);

// A header and a line a person: user, then their attributes.
[[nodiscard]] std::string people_text(const PersonAttributes& people, char separator);

}  // namespace sotto::engine
