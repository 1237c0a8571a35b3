// ItemLinks: which entities of a knowledge graph stand for which items. An item may have several entities,
// and several items may share one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/ids.h"
#include "data/kg/line_stream.h"

namespace sotto::data {

struct ItemLinks {
  IdTable items, entities;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // item, entity

  void add(std::string_view item, std::string_view entity) {
    pairs.emplace_back(items.intern(item), entities.intern(entity));
  }
};

// Adds the lines "item<TAB>…<TAB>entity": the first column is the item, the last one the entity.
[[nodiscard]] Status read_item_links(NamedSource source, BrokenLines& broken, ItemLinks& links);
// Each item is its own entity.
[[nodiscard]] ItemLinks links_to_themselves(const IdTable& items);

}  // namespace sotto::data
