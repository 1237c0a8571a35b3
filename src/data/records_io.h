// Records and contexts as bytes, and back.
//
// Law: bytes that break a law of data/records.h or data/contexts.h are refused; what was read is written to
// the same bytes again.
#pragma once

#include <span>
#include <string>

#include "base/codec.h"
#include "base/result.h"
#include "data/contexts.h"
#include "data/records.h"
#include "data/split.h"

namespace sotto::data {

[[nodiscard]] Bytes save_records(const Records& records);
[[nodiscard]] Result<Records> load_records(std::span<const std::byte> bytes, const std::string& name);

[[nodiscard]] Bytes save_contexts(const Contexts& contexts);
[[nodiscard]] Result<Contexts> load_contexts(std::span<const std::byte> bytes, const std::string& name);

// Whether they are as long as the split's parts, items and users.
[[nodiscard]] bool fits(const Records& records, const Split& split);
[[nodiscard]] bool fits(const Contexts& contexts, const Split& split);

}  // namespace sotto::data
