#include "device/item_titles.h"

namespace sotto::device {

namespace {

std::optional<ItemDescription> described(const TaskCatalogue& catalogue, const std::string& item) {
  const auto row = catalogue.names.find(item);
  if (!row) return std::nullopt;
  return ItemDescription{.title = catalogue.title(*row),
                         .categories = catalogue.categories.empty() ? "" : catalogue.categories[*row],
                         .picture = catalogue.pictures.empty() ? "" : catalogue.pictures[*row]};
}

}  // namespace

Result<ItemTitles> ItemTitles::load(DeviceStore& kept) {
  ItemTitles made;
  SOTTO_TRY(made.catalogues_, held_catalogues(kept));
  return made;
}

std::optional<ItemDescription> ItemTitles::describe(const std::string& item, const std::string& task) const {
  for (const bool own : {true, false})
    for (const auto& [name, catalogue] : catalogues_)
      if ((name == task) == own)
        if (auto found = described(*catalogue, item)) return found;
  return std::nullopt;
}

std::string ItemTitles::of(const std::string& item, const std::string& task) const {
  const auto found = describe(item, task);
  return found ? found->title : item;
}

}  // namespace sotto::device
