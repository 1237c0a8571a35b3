// The half of a PlainStore that is about devices.
#pragma once

#include <algorithm>
#include <map>

#include "server/store.h"

namespace sotto::server {

[[nodiscard]] inline Error plain_missing() { return fail(Code::not_found, "there is no such thing"); }

class PlainPeople {
 public:
  Status add_tokens(std::span<const std::string> hashes) {
    for (const std::string& hash : hashes) tokens_.try_emplace(hash);
    return Done{};
  }
  Result<DeviceRecord> enrol(const std::string& token_hash, const PublicKey& key, std::int64_t now_ms) {
    const DeviceId id = device_id(key);
    if (!tokens_.contains(token_hash)) return plain_missing();
    auto& used_by = tokens_[token_hash];
    if (used_by && *used_by != id) return plain_missing();
    used_by = id;
    if (!devices_.contains(id)) devices_[id] = {id, key, next_index_++, false, now_ms, now_ms, {}};
    return devices_[id];
  }
  Status each_device(const std::function<void(const DeviceRecord&)>& each) {
    std::map<std::uint32_t, DeviceRecord> ordered;
    for (const auto& entry : devices_) ordered[entry.second.index] = entry.second;
    for (const auto& entry : ordered) each(entry.second);
    return Done{};
  }
  Status set_revoked(const DeviceId& id, bool revoked) {
    if (!devices_.contains(id)) return plain_missing();
    devices_[id].revoked = revoked;
    return Done{};
  }
  Status set_home(const DeviceId& id, const DeviceHome& home) {
    if (!devices_.contains(id)) return plain_missing();
    devices_[id].home = home;
    return Done{};
  }
  Status forget(const DeviceId& id) {
    if (devices_.erase(id) == 0) return plain_missing();
    for (auto& [hash, used_by] : tokens_)
      if (used_by == id) used_by = DeviceId{};  // used, by nobody any more
    return Done{};
  }
  Status note_seen(std::span<const Store::Seen> seen) {
    for (const Store::Seen& one : seen)
      if (devices_.contains(one.id))
        devices_[one.id].last_seen_ms = std::max(devices_[one.id].last_seen_ms, one.time_ms);
    return Done{};
  }

 private:
  std::map<std::string, std::optional<DeviceId>> tokens_;
  std::map<DeviceId, DeviceRecord> devices_;
  std::uint32_t next_index_ = 0;
};

}  // namespace sotto::server
