// A split as bytes, to be saved and loaded again, and its parts as text. The large arrays lie in the file
// as they lie in memory (data/split_layout.h), so a mapped file is a split without being read.
//
// Laws: load(save(s)) equals s, hash included, and saving it again gives the same bytes; bytes that were
// cut, changed or made up give Code::bad_input, those of another version Code::incompatible. What is
// checked when:
// - quick, one pass at the speed of memory: the head's checksum, all sizes, that each user's row is a row
//   of distinct, ascending, known items, that ids can be looked up: whatever the bytes are, no index made
//   from them leaves its array. A changed number that keeps these laws stays unseen.
// - whole: beside that every byte against its checksum, and all laws of Split and of its ids anew.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/codec.h"
#include "base/result.h"
#include "base/shared_bytes.h"
#include "data/split.h"

namespace sotto::data {

enum class SplitCheck : std::uint8_t { quick, whole };

// The split looks into `file` and keeps it. `name` is what error messages call it.
[[nodiscard]] Result<Split> open_split(const SharedBytes& file, const std::string& name, SplitCheck check);

// open_split, whole, of a copy.
[[nodiscard]] Result<Split> load_split(std::span<const std::byte> bytes, const std::string& name);

// The bytes piece by piece; a failure of `take` ends it and is returned.
[[nodiscard]] Status write_split(const Split& split, const ByteSink& take);
[[nodiscard]] Bytes save_split(const Split& split);

// Lines "user<TAB>item" with the user's own ids.
[[nodiscard]] std::string part_as_tsv(const Split& split, const Histories& part);

}  // namespace sotto::data
