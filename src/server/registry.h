// Registry: the enrolled devices in memory, and what makes a request of theirs fresh.
//
// Laws: an idle device costs about 120 bytes and nothing else; a nonce is taken once, and after a restart
// none from before it; what is refused changes nothing. Last check-ins go to the store in batches. A device
// that moved answers from one home: the first that asks of those that there are, or one that it moved to from
// there.
#pragma once

#include <cstring>
#include <optional>
#include <unordered_map>

#include "fed/wire/round_step.h"
#include "server/store.h"

namespace sotto::server {

// Names and tokens are random: their first bytes are a hash.
struct FirstBytes {
  [[nodiscard]] std::size_t operator()(const std::array<std::uint8_t, 16>& bytes) const noexcept {
    std::size_t hash = 0;
    std::memcpy(&hash, bytes.data(), sizeof(hash));
    return hash;
  }
};

struct KnownDevice {
  PublicKey key{};
  std::uint64_t last_nonce = 0;
  std::int64_t last_seen_ms = 0;
  std::int64_t last_asked_ms = 0;  // when it was last given work, or when it came
  std::uint32_t index = 0;
  bool revoked = false;
  bool unsaved = false;  // last_seen_ms is not in the store yet
};

class Registry {
 public:
  // Reads the devices; nonces below the time of the restart are used up.
  [[nodiscard]] Status load(Store& store, std::int64_t now_ms);

  [[nodiscard]] KnownDevice* find(const DeviceId& id);
  KnownDevice& add(const DeviceRecord& record);
  void erase(const DeviceId& id) {
    devices_.erase(id);
    homes_.erase(id);
  }
  // From where it answers; null: it never moved, as far as is known.
  [[nodiscard]] const DeviceHome* home(const DeviceId& id) const;
  void set_home(const DeviceId& id, const DeviceHome& home) { homes_[id] = home; }
  [[nodiscard]] std::size_t size() const { return devices_.size(); }
  [[nodiscard]] std::size_t revoked() const;
  // Device and time of a request that was taken.
  void note_seen(const DeviceId& id, KnownDevice& device, std::int64_t now_ms);
  // Writes what is not in the store yet.
  [[nodiscard]] Status save_seen(Store& store);

 private:
  std::unordered_map<DeviceId, KnownDevice, FirstBytes> devices_;
  std::unordered_map<DeviceId, DeviceHome, FirstBytes> homes_;  // of those that moved
  std::vector<DeviceId> unsaved_;
};

// The homes of a check-in, the one at hand last. Fails where they are no such list, or too long.
[[nodiscard]] Result<std::vector<HomeId>> read_homes(std::string_view bytes);
// Whether a device that has lived there is the one that answers from `known`, or moved on from it.
[[nodiscard]] bool lives_on(const std::vector<HomeId>& homes, const DeviceHome& known);

// The bytes of a name or token, where they are one.
[[nodiscard]] std::optional<std::array<std::uint8_t, 16>> read_name(std::string_view bytes);

}  // namespace sotto::server
