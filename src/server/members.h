// Members: who is assigned in a task's open round, by token and by device, and what became of those of the
// rounds just past.
//
// Laws: a device has one assignment at a time; a token is random, and names nobody outside its round; the
// past is of a few rounds, so that nothing grows with the number of exchanges.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>

#include "server/registry.h"

namespace sotto::server {

// Who asks.
struct Caller {
  DeviceId id{};
  std::uint32_t index = 0;
  std::int64_t waited_ms = 0;  // since it was last given work
};

struct Member {
  DeviceId device{};
  std::uint32_t index = 0;
  std::uint32_t round = 0;
  std::uint32_t base = 0;   // the version it works on
  std::uint32_t place = 0;  // in the cohort
  std::int64_t deadline_ms = 0;
  std::optional<std::uint64_t> given;  // the digest of what was taken, in the round's part at hand
  PublicKey sum_key{};
  Upload upload;
};

// What is left of an assignment whose round is over.
struct PastMember {
  DeviceId device{};
  std::optional<std::uint64_t> given;
  bool committed = false;
};

class Members {
 public:
  // The token is drawn. The reference holds until the member is removed.
  std::pair<RoundToken, Member*> add(Member member);
  [[nodiscard]] Member* find(const RoundToken& token);
  // The token of a device that has an assignment, else null.
  [[nodiscard]] const RoundToken* token_of(const DeviceId& id) const;
  [[nodiscard]] std::size_t size() const { return by_token_.size(); }
  [[nodiscard]] const PastMember* past(const RoundToken& token) const;
  // Moves those that `ends` holds for into the past.
  void end(bool committed, const std::function<bool(const Member&)>& ends);
  void each(const std::function<void(const Member&)>& call) const;
  void change(const std::function<void(Member&)>& call);

 private:
  static constexpr std::size_t rounds_remembered = 16;

  std::unordered_map<RoundToken, Member, FirstBytes> by_token_;
  std::unordered_map<DeviceId, RoundToken, FirstBytes> by_device_;
  std::deque<std::unordered_map<RoundToken, PastMember, FirstBytes>> past_;
};

}  // namespace sotto::server
