#include "server/registry.h"

#include <fmt/core.h>

#include <algorithm>

namespace sotto::server {

namespace {

constexpr std::uint64_t micros_a_milli = 1000;
constexpr std::size_t most_moves = 64;

}  // namespace

Status Registry::load(Store& store, std::int64_t now_ms) {
  return store.each_device([&](const DeviceRecord& record) {
    add(record).last_nonce = static_cast<std::uint64_t>(now_ms) * micros_a_milli;
  });
}

KnownDevice* Registry::find(const DeviceId& id) {
  const auto found = devices_.find(id);
  return found == devices_.end() ? nullptr : &found->second;
}

KnownDevice& Registry::add(const DeviceRecord& record) {
  const auto [at, is_new] = devices_.try_emplace(record.id);
  KnownDevice& device = at->second;
  if (!is_new) return device;  // enrolled again: its nonces go on
  device.key = record.key;
  device.index = record.index;
  device.revoked = record.revoked;
  device.last_seen_ms = record.last_seen_ms;
  device.last_asked_ms = record.enrolled_ms;
  if (record.home) homes_[record.id] = *record.home;
  return device;
}

const DeviceHome* Registry::home(const DeviceId& id) const {
  const auto found = homes_.find(id);
  return found == homes_.end() ? nullptr : &found->second;
}

std::size_t Registry::revoked() const {
  return static_cast<std::size_t>(
      std::count_if(devices_.begin(), devices_.end(), [](const auto& one) { return one.second.revoked; }));
}

void Registry::note_seen(const DeviceId& id, KnownDevice& device, std::int64_t now_ms) {
  device.last_seen_ms = now_ms;
  if (std::exchange(device.unsaved, true)) return;
  unsaved_.push_back(id);
}

Status Registry::save_seen(Store& store) {
  if (unsaved_.empty()) return Done{};
  std::vector<Store::Seen> seen;
  seen.reserve(unsaved_.size());
  for (const DeviceId& id : unsaved_)
    if (const KnownDevice* device = find(id)) seen.push_back({id, device->last_seen_ms});
  SOTTO_TRY_DONE(store.note_seen(seen));
  for (const DeviceId& id : unsaved_)
    if (KnownDevice* device = find(id)) device->unsaved = false;
  unsaved_.clear();
  return Done{};
}

Result<std::vector<HomeId>> read_homes(std::string_view bytes) {
  constexpr std::size_t size = sizeof(HomeId);
  if (bytes.size() % size != 0) return fail(Code::bad_input, "the request names no homes");
  if (bytes.size() > most_moves * size)
    return fail(Code::usage, fmt::format("this device has moved more than {} times, and is answered no more: "
                                         "enrol anew in another folder",
                                         most_moves));
  std::vector<HomeId> homes(bytes.size() / size);
  for (std::size_t n = 0; n < homes.size(); ++n) homes[n] = *read_name(bytes.substr(n * size, size));
  return homes;
}

bool lives_on(const std::vector<HomeId>& homes, const DeviceHome& known) {
  return homes.size() >= known.moves && homes[known.moves - 1] == known.home;
}

std::optional<std::array<std::uint8_t, 16>> read_name(std::string_view bytes) {
  std::array<std::uint8_t, 16> name{};
  if (bytes.size() != name.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), name.begin());
  return name;
}

}  // namespace sotto::server
