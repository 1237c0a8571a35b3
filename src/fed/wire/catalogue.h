// A task's catalogue on the wire: the names of its items, one a line, in the order of the model's rows,
// packed with zstd. Its blob_hash names it.
//
// Laws: read_catalogue(pack_catalogue(names)) gives the names back in their order; a name that is empty or
// there twice and more than `most` names are refused, and no more memory is taken than the names fill.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/ids.h"

namespace sotto::fed {

// `names`: one a line.
[[nodiscard]] std::string pack_catalogue(std::string_view names);
[[nodiscard]] Result<std::shared_ptr<const IdTable>> read_catalogue(std::string_view packed,
                                                                    std::size_t most);

// The longest name of an item, in bytes.
inline constexpr std::size_t most_item_name = 1024;

}  // namespace sotto::fed
