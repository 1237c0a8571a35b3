// The contexts of one person and of their records, by a vocabulary that came from elsewhere, with a task.
//
// Law: for a split's records and a person's attributes, and the vocabulary and the schema that its contexts
// were made with, the values are those of its training part and of the person (data/context_schema.h). What
// the vocabulary lacks is no value.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/context_schema.h"
#include "data/contexts.h"
#include "data/records.h"

namespace sotto::data {

// Whether the dimensions that come from records are those of the schema: interval and daypart first.
[[nodiscard]] bool belong_together(const Contexts& vocabulary, const ContextSchema& schema);

// Of the `count` records of records.train, for a vocabulary and a schema that belong together.
[[nodiscard]] PartContexts recorded_contexts(const Contexts& vocabulary, const ContextSchema& schema,
                                             const Records& records, std::size_t count);

// Of what a person says of themself, by name ("age", "25-34"), each name once: the values, ascending.
[[nodiscard]] std::vector<std::uint32_t> person_contexts(
    const Contexts& vocabulary, std::span<const std::pair<std::string, std::string>> attributes);

}  // namespace sotto::data
