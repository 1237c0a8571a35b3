// PlanValue: what stands behind a key of a plan, or was typed behind a flag, before anybody knows its type.
//
// Law: TOML reads what to_text() writes as the same value.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace sotto::engine {

// A float is written as one: 0.05 stays "0.05".
using PlanScalar = std::variant<bool, std::int64_t, float, double, std::string>;

struct PlanValue {
  std::vector<PlanScalar> parts;  // one, or those of a list
  bool list = false;

  bool operator==(const PlanValue&) const = default;
};

// As TOML writes it: true, 3, 0.05, "word", [1, 10].
[[nodiscard]] std::string to_text(const PlanValue& value);

// What was typed is a word until it is known what is wanted.
enum class WordKind : std::uint8_t { truth, whole, number, text };
[[nodiscard]] Result<PlanScalar> scalar_from(const std::string& word, WordKind kind);

}  // namespace sotto::engine
