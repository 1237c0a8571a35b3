// The loader of item names and categories on any bytes.
// Laws checked: each item has one name, all are UTF-8, and attaching finds every item again.
#include <cstdint>

#include "base/assert.h"
#include "data/item_labels.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto labels = load_item_labels({"names", {reinterpret_cast<const char*>(data), size}});
  if (!labels.ok()) {
    SOTTO_ASSERT(labels.error().message.starts_with("names"), "a refusal names its source");
    return 0;
  }
  SOTTO_ASSERT(labels->names.size() == labels->items.size(), "each item has a name");
  SOTTO_ASSERT(labels->categories.empty() || labels->categories.size() == labels->items.size(),
               "each item has a category, or none has");
  for (const auto& name : labels->names) SOTTO_ASSERT(is_utf8(name), "names are UTF-8");
  Dataset dataset;
  dataset.items = labels->items;
  SOTTO_ASSERT(attach_item_labels(*labels, dataset) == labels->items.size(), "every item is found");
  SOTTO_ASSERT(dataset.item_names == labels->names, "names come through");
  return 0;
}
