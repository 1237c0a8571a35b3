// The person's items as the rows of a task's catalogue.
//
// Law: an item that the catalogue lacks takes no part.
#pragma once

#include <optional>

#include "data/histories.h"
#include "device/device_store.h"

namespace sotto::device {

// Where a task's items have their names: in a catalogue, or, without one, in their numbers.
struct ItemNames {
  const IdTable* catalogue = nullptr;
  std::size_t items = 0;

  [[nodiscard]] std::optional<ItemIndex> find(const std::string& name) const;
  [[nodiscard]] std::string name_of(ItemIndex item) const;
};

// The rows of the person's items, ascending, each once.
[[nodiscard]] Result<std::vector<ItemIndex>> own_rows(DeviceStore& kept, const ItemNames& names);
// How many of these are newer than each; none where the device does not know.
[[nodiscard]] Result<std::vector<std::uint16_t>> ages_of(DeviceStore& kept,
                                                         const std::vector<ItemIndex>& rows,
                                                         const ItemNames& names);

}  // namespace sotto::device
