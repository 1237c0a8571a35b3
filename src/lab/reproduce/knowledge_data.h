// The datasets of chapter 6 with what is known about their items: core and rating filter of the thesis, a
// random fifth of each user's items as test part. The thesis explored DBpedia to depth 2; where only depth 1
// is at hand the caveat says so.
#pragma once

#include <string_view>

#include "base/result.h"
#include "lab/reproduce/paper_data.h"

namespace sotto {

[[nodiscard]] bool is_knowledge_data(std::string_view name);
[[nodiscard]] Result<PaperData> find_knowledge_data(std::string_view name, const DataFolder& folder);

}  // namespace sotto
