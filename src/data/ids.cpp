#include "data/ids.h"

#include <functional>

namespace sotto {

std::size_t IdTable::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(name)&mask;
  while (slots_[slot] != 0 && this->name(slots_[slot] - 1) != name) slot = (slot + 1) & mask;
  return slot;
}

void IdTable::grow() {
  slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, 0);
  for (std::uint32_t index = 0; index < size(); ++index) slots_[slot_of(name(index))] = index + 1;
}

void IdTable::reserve(std::size_t ids, std::size_t letters) {
  letters_.reserve(letters);
  ends_.reserve(ids + 1);
  while (slots_.size() < ids * 2) grow();
}

std::uint32_t IdTable::intern(std::string_view name) {
  if (slots_.size() < (size() + 1) * 2) grow();
  const std::size_t slot = slot_of(name);
  if (slots_[slot] == 0) {
    letters_.append(name);
    ends_.push_back(letters_.size());
    slots_[slot] = static_cast<std::uint32_t>(size());
  }
  return slots_[slot] - 1;
}

std::optional<std::uint32_t> IdTable::find(std::string_view name) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t held = slots_[slot_of(name)];
  if (held == 0) return std::nullopt;
  return held - 1;
}

IdTable IdTable::picked(std::span<const std::uint32_t> old_indices) const {
  IdTable table;
  table.reserve(old_indices.size(), 0);
  for (const std::uint32_t old : old_indices) table.intern(name(old));
  return table;
}

}  // namespace sotto
