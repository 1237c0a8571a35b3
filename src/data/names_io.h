// Names and rows as bytes, and back: what the files of features and of records share.
#pragma once

#include <cstdint>
#include <span>

#include "base/codec.h"
#include "data/ids.h"

namespace sotto::data {

void write_names(Writer& out, const IdTable& names);
// False: a name occurs twice, or the bytes end early.
[[nodiscard]] bool read_names(Reader& in, IdTable& names);

// Whether rows that end so lie one behind another in an array of this size.
[[nodiscard]] bool spans(std::span<const std::uint64_t> ends, std::size_t size);

}  // namespace sotto::data
