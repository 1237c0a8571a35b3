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
  SOTTO_TRY(const std::vector<std::string> tasks, kept.held_tasks());
  for (const std::string& task : tasks) {
    SOTTO_TRY(const auto model, kept.model(task));
    if (model == nullptr || model->catalogue.empty()) continue;
    SOTTO_TRY(auto catalogue, kept.catalogue(model->catalogue));
    if (catalogue != nullptr) made.catalogues_.emplace_back(task, std::move(catalogue));
  }
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
