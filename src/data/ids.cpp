#include "data/ids.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"

namespace sotto::data {

namespace {

constexpr std::size_t fewest_slots = 16;

// Both halves of the product, so that every bit of either factor reaches every bit of the mix.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Part of the format of saved splits.
std::uint64_t hash_name(std::string_view name) {
  constexpr std::uint64_t first = 0x9E3779B97F4A7C15u, second = 0xD1B54A32D192ED03u;
  std::uint64_t hash = first ^ name.size();
  for (; name.size() > 8; name.remove_prefix(8)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, name.data(), 8);
    hash = mixed(hash ^ eight, second);
  }
  std::uint64_t tail = 0;
  if (!name.empty()) std::memcpy(&tail, name.data(), name.size());  // an empty name may point nowhere
  return mixed(hash ^ tail, first);
}

std::size_t slots_for(std::size_t ids) {
  return ids == 0 ? 0 : std::bit_ceil(std::max(fewest_slots, ids * 2));
}

}  // namespace

std::size_t IdTable::slot_in(const IdArrays& arrays, std::string_view name) {
  const std::size_t mask = arrays.slots.size() - 1;
  std::size_t slot = hash_name(name) & mask;
  while (arrays.slots[slot] != 0 && name_in(arrays, arrays.slots[slot] - 1) != name) slot = (slot + 1) & mask;
  return slot;
}

bool IdTable::lawful(const IdArrays& arrays) {
  const auto& [letters, ends, slots] = arrays;
  if (ends.empty() || ends.front() != 0 || ends.back() != letters.size()) return false;
  const std::size_t ids = ends.size() - 1;
  if (ids > most_ids || slots.size() != slots_for(ids)) return false;
  // Counted without branches, at the speed of memory.
  std::uint64_t falling = 0;
  for (std::size_t k = 0; k < ids; ++k) falling += ends[k + 1] < ends[k] ? 1u : 0u;
  std::uint32_t most = 0, taken = 0;
  for (const std::uint32_t held : slots) {
    most = std::max(most, held);
    taken += held != 0 ? 1u : 0u;
  }
  return falling == 0 && most <= ids && taken == ids;
}

void IdTable::own() {
  if (!seen_) return;
  const IdArrays& arrays = seen_->arrays;
  letters_.assign(arrays.letters.begin(), arrays.letters.end());
  ends_.assign(arrays.ends.begin(), arrays.ends.end());
  slots_.assign(arrays.slots.begin(), arrays.slots.end());
  seen_.reset();
}

void IdTable::grow() {
  slots_.assign(slots_.empty() ? fewest_slots : slots_.size() * 2, 0);
  const IdArrays now = arrays();
  for (std::uint32_t index = 0; index < size(); ++index)
    slots_[slot_in(now, name_in(now, index))] = index + 1;
}

void IdTable::reserve(std::size_t ids, std::size_t letters) {
  own();
  letters_.reserve(letters);
  ends_.reserve(ids + 1);
  while (slots_.size() < ids * 2) grow();
}

std::uint32_t IdTable::intern(std::string_view name) {
  if (seen_) {
    if (const auto known = find(name)) return *known;
    own();
  }
  // A name that is there makes no room: a table has the same slots however often its names came.
  if (!slots_.empty())
    if (const std::uint32_t held = slots_[slot_in(arrays(), name)]; held != 0) return held - 1;
  if (slots_.size() < ends_.size() * 2) grow();
  SOTTO_ASSERT(size() < most_ids, "an index has 32 bits");
  const std::size_t slot = slot_in(arrays(), name);
  letters_.insert(letters_.end(), name.begin(), name.end());
  ends_.push_back(letters_.size());
  slots_[slot] = static_cast<std::uint32_t>(size());
  return slots_[slot] - 1;
}

std::optional<std::uint32_t> IdTable::find(std::string_view name) const {
  const IdArrays now = arrays();
  if (now.slots.empty()) return std::nullopt;
  const std::uint32_t held = now.slots[slot_in(now, name)];
  if (held == 0) return std::nullopt;
  return held - 1;
}

IdTable IdTable::picked(std::span<const std::uint32_t> old_indices) const {
  IdTable table;
  table.reserve(old_indices.size(), 0);
  for (const std::uint32_t old : old_indices) table.intern(name(old));
  return table;
}

std::vector<std::uint32_t> IdTable::plain_slots() const {
  const IdArrays now = arrays();
  std::vector<std::uint32_t> slots(slots_for(size()), 0);
  const IdArrays filling{now.letters, now.ends, slots};
  for (std::uint32_t index = 0; index < size(); ++index)
    slots[slot_in(filling, name_in(now, index))] = index + 1;
  return slots;
}

}  // namespace sotto::data
