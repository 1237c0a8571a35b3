// The number of an item where a model came without names: its row, written in its only form.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "base/layers.h"

namespace sotto::device {

[[nodiscard]] inline std::optional<std::uint32_t> item_number(const std::string& name) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || std::to_string(number) != name) return std::nullopt;
  return number;
}

}  // namespace sotto::device
