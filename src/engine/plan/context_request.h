// What contexts a run is asked to look at, as flags and plans write it ([contexts]).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/context_schema.h"

namespace sotto::engine {

struct ContextRequest {
  // interval, daypart, columns, item, person; or "all" that the data has, or "none". Empty: none either,
  // unless a model brings its own.
  std::vector<std::string> of;
  std::string people;                           // a file of people's attributes; may be empty
  std::optional<std::uint32_t> interval_hours;  // the width of a bin; none: 24
  std::optional<std::uint32_t> interval_bins;   // none: 8
  bool interval_exact = false;                  // bins of one width
  std::string day;                              // "6-18": the hours between which it is day; empty: so
  std::optional<double> utc_offset;             // hours; none: 0

  [[nodiscard]] bool asked() const { return !of.empty() && of != std::vector<std::string>{"none"}; }
  [[nodiscard]] bool asks_for(const std::string& what) const;
};

// What can be wrong before anything is read.
[[nodiscard]] Status check(const ContextRequest& request);

// What the request means for this split: "all" is what there is.
[[nodiscard]] Result<ContextSchema> schema_of(const ContextRequest& request, const Split& split,
                                              const PersonAttributes* people = nullptr);

// Gives the split its contexts, if some are asked for.
[[nodiscard]] Status attach_contexts(const ContextRequest& request, Split& split);

}  // namespace sotto::engine
