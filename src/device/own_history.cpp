#include "device/own_history.h"

#include <algorithm>

#include "device/item_number.h"

namespace sotto::device {

std::optional<ItemIndex> ItemNames::find(const std::string& name) const {
  const auto row = catalogue != nullptr ? catalogue->find(name) : item_number(name);
  if (!row || *row >= items) return std::nullopt;
  return ItemIndex{*row};
}

std::string ItemNames::name_of(ItemIndex item) const {
  return catalogue != nullptr ? std::string(catalogue->name(item.value)) : std::to_string(item.value);
}

Result<std::vector<ItemIndex>> own_rows(DeviceStore& kept, const ItemNames& names) {
  SOTTO_TRY(const std::vector<std::string> had, kept.items());
  std::vector<ItemIndex> rows;
  rows.reserve(had.size());
  for (const std::string& name : had)
    if (const auto row = names.find(name)) rows.push_back(*row);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

Result<std::vector<std::uint16_t>> ages_of(DeviceStore& kept, const std::vector<ItemIndex>& rows,
                                           const ItemNames& names) {
  SOTTO_TRY(const auto newest, kept.newest_first());
  std::vector<std::uint16_t> ages;
  if (!newest) return ages;
  ages.assign(rows.size(), Histories::most_age);
  std::uint16_t newer = 0;
  for (const std::string& name : *newest) {
    const auto row = names.find(name);
    if (!row) continue;
    const auto place = std::lower_bound(rows.begin(), rows.end(), *row);
    if (place == rows.end() || *place != *row) continue;
    ages[static_cast<std::size_t>(place - rows.begin())] = newer;
    if (newer < Histories::most_age) ++newer;
  }
  return ages;
}

}  // namespace sotto::device
