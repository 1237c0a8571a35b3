// What a person has, in the numbers of a task: the items by the rows of its catalogue, and beside them what
// was recorded and what the person says of themself, in the types that the simulator's device of that index
// gets (fed/models/task_model.h).
//
// Laws: the items ascend, each once; what the catalogue lacks is no item of it, but says when the person was
// there before. Of equal times the smaller name is the newer, as in a split; an item whose time is not known
// is older than all others. Times are dates where all of them can be some, else ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/device_store.h"
#include "fed/models/task_model.h"

namespace sotto::device {

struct OwnHistory {
  std::vector<ItemIndex> items;
  std::vector<std::uint16_t> ages;  // of data/histories.h; none: no time is known
  DeviceKnowledge known;
};

// Where a task's items have their names: in a catalogue, or, where that is null, in their numbers.
struct ItemNames {
  const TaskCatalogue* catalogue = nullptr;
  std::size_t items = 0;

  [[nodiscard]] std::optional<ItemIndex> find(const std::string& name) const;
  [[nodiscard]] std::string name_of(ItemIndex item) const;
  [[nodiscard]] std::string title_of(ItemIndex item) const;
};

[[nodiscard]] OwnHistory own_history(const std::vector<KeptInteraction>& kept, const Attributes& said,
                                     const TaskCatalogue* catalogue, const Task& task);

}  // namespace sotto::device
