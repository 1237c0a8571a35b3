// CatalogueRequest: what an operator says of a task's items, read from the files that `sotto train` reads
// into the catalogue that devices get (fed/wire/catalogue.h).
//
// Law: an item keeps its place; what the files know of other items is left out.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/plan/context_request.h"
#include "engine/plan/knowledge_request.h"
#include "fed/wire/catalogue.h"

namespace sotto::engine {

struct CatalogueRequest {
  std::vector<std::string> names = {};     // files of titles and categories, as for --names
  std::vector<std::string> pictures = {};  // of items and addresses
  KnowledgeRequest kg = {};                // features
  ContextRequest contexts = {};            // interval, daypart, columns, item, person, recency; never whose
  std::string context_values = {};         // a file of columns' words: the column and a word, one a line
  std::string person_values = {};          // the same of people's attributes: nobody's data are needed
  std::string rating_scale = {};           // "1:5"; empty: none
};

[[nodiscard]] Result<TaskCatalogue> make_catalogue(const CatalogueRequest& request, IdTable items);

}  // namespace sotto::engine
