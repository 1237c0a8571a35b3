// A task's catalogue on the wire: what everybody knows of its items, in the order of the model's rows, packed
// with zstd. Its blob_hash names it.
//
// Two forms. Names alone are text, one a line: all that version 0.1.0 reads. Whatever more there is (titles,
// categories, addresses of pictures, features, a vocabulary of contexts, a scale of ratings) stands in
// columns behind a line that no text of names begins with, so that an older reader refuses it and does not
// mistake it. A catalogue that grew is several such texts, packed one behind another: each names items that
// came, with their columns, and tells anew what is said of all (features, a vocabulary of contexts). So the
// bytes of one that grew begin with the bytes of the one before, and who has those fetches the rest.
// Laws: read_catalogue(pack_catalogue(encode_catalogue(c))) gives c back, and one content has one encoding
// (and as many packed forms as it has ways to grow). What comes from a server is believed in nothing: a name
// that is empty or there twice, more than `most` names, a number out of its range, a column that says nothing
// are refused, and no more memory is taken than the bounds allow.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/context_schema.h"
#include "data/contexts.h"
#include "data/ids.h"
#include "data/item_features.h"
#include "data/records.h"
#include "fed/models/device_history.h"

namespace sotto::fed {

struct TaskCatalogue {
  IdTable names;
  // One an item, or none at all.
  std::vector<std::string> titles = {};      // for people; empty: the name
  std::vector<std::string> categories = {};  // "Action|Comedy"
  std::vector<std::string> pictures = {};  // addresses, of https. Whoever loads one shows what is recommended
  std::shared_ptr<const ItemFeatures> features = nullptr;
  // The vocabulary: dimensions, and which values items have; nobody's records. The schema says how a record's
  // values come from its time.
  std::shared_ptr<const Contexts> contexts = nullptr;
  ContextSchema schema = {};
  std::optional<RatingScale> scale = {};  // of the ratings that it learns from

  // What people call an item.
  [[nodiscard]] std::string title(std::uint32_t item) const {
    return titles.empty() || titles[item].empty() ? std::string(names.name(item)) : titles[item];
  }
};

// What a task's models get of it; null: the task's items are numbers, of which nothing is known.
[[nodiscard]] DeviceKnowledge known_of(const TaskCatalogue* catalogue);

// As it is before it is packed. The catalogue keeps the laws.
[[nodiscard]] std::string encode_catalogue(const TaskCatalogue& catalogue);
// `encoded`: of encode_catalogue(), or names, one a line.
[[nodiscard]] std::string pack_catalogue(std::string_view encoded);
[[nodiscard]] Result<std::shared_ptr<const TaskCatalogue>> read_catalogue(std::string_view packed,
                                                                          std::size_t most);
// Whether encode_catalogue() may have it: what a reader would refuse is said, and of which item.
[[nodiscard]] Status check(const TaskCatalogue& catalogue);

// Whether `after` is `before` with more items behind: each item is called what it was called and has the
// features it had. Else which row changed.
[[nodiscard]] Status check_grown(const TaskCatalogue& before, const TaskCatalogue& after);
// The packed bytes of `after`, which keeps that law: `packed`, which are those of `before`, and behind them
// what is new. (Packed anew where that has become less than half of it.)
[[nodiscard]] std::string pack_grown(std::string_view packed, const TaskCatalogue& before,
                                     const TaskCatalogue& after);

// The longest name of an item, in bytes; of a title and of an item's categories; and of an address.
inline constexpr std::size_t most_item_name = 1024;
inline constexpr std::size_t most_address = 2048;
// What a catalogue of so many items may have at most, unpacked.
[[nodiscard]] std::uint64_t most_catalogue_bytes(std::size_t items);

}  // namespace sotto::fed
