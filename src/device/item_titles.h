// ItemTitles: what a person sees of the things that the catalogues on their device know.
//
// Laws: nothing leaves and nothing is written; a thing that no catalogue knows, or that has no title there,
// is called by its name. Of several tasks' catalogues the asked task's comes first, then the others by name.
#pragma once

#include <optional>
#include <string>

#include "device/held_task.h"

namespace sotto::device {

struct ItemDescription {
  std::string title;
  std::string categories;  // "Action|Comedy"; none: empty
  std::string picture;     // an address; none: empty
};

class ItemTitles {
 public:
  [[nodiscard]] static Result<ItemTitles> load(DeviceStore& kept);

  // `task` may be empty: any.
  [[nodiscard]] std::string of(const std::string& item, const std::string& task = "") const;
  // None: no catalogue knows it.
  [[nodiscard]] std::optional<ItemDescription> describe(const std::string& item,
                                                        const std::string& task = "") const;

 private:
  ItemTitles() = default;

  HeldCatalogues catalogues_;
};

}  // namespace sotto::device
