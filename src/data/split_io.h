// A split as bytes, to be saved and loaded again, and its parts as text.
//
// Laws: load(save(s)) equals s, hash included; bytes that were cut, changed or made up give
// Code::bad_input, those of another version Code::incompatible; all laws of Split are checked anew.
#pragma once

#include <span>
#include <string>

#include "base/codec.h"
#include "base/result.h"
#include "data/split.h"

namespace sotto {

[[nodiscard]] Bytes save_split(const Split& split);

// `name` is what error messages call the file.
[[nodiscard]] Result<Split> load_split(std::span<const std::byte> bytes, const std::string& name);

// Lines "user<TAB>item" with the user's own ids.
[[nodiscard]] std::string part_as_tsv(const Split& split, const Histories& part);

}  // namespace sotto
