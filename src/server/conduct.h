// Conduct: what secure sums showed about devices, so that one that spoils them is not asked for ever.
//
// Laws: who was named in a sum is kept out of secure sums for a while at once; a dispute names nobody, and
// weighs the same on both sides: whoever throws another out pays the same price. A sum that failed without a
// name puts its members in doubt: each takes part in about half of the rounds until a sum with it commits,
// so that the one who spoils sums is soon among few. It is kept in memory, of devices that something was
// found out about, and forgotten after the time that keeps one out.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "server/registry.h"

namespace sotto {

class Conduct {
 public:
  static constexpr std::uint32_t most_disputes = 3;  // then it is kept out
  static constexpr std::uint32_t most_doubts = 6;    // failed sums on end; then too

  struct Record {
    std::uint32_t named = 0;
    std::uint32_t disputes = 0;
    std::uint32_t doubts = 0;
    std::int64_t last_ms = 0;  // when something was found out
    std::int64_t kept_out_until_ms = 0;
  };
  // What one sum showed.
  struct Findings {
    std::vector<DeviceId> named, suspected, doubted, cleared;
  };

  void set_keep_out(std::int64_t keep_out_ms) { keep_out_ms_ = keep_out_ms; }
  void note(const Findings& findings, std::int64_t now_ms);
  [[nodiscard]] bool may_join(const DeviceId& id, std::uint32_t round, std::int64_t now_ms) const;
  [[nodiscard]] std::size_t kept_out(std::int64_t now_ms) const;
  // Null: nothing was found out.
  [[nodiscard]] const Record* find(const DeviceId& id) const;
  void forget(const DeviceId& id) { records_.erase(id); }

 private:
  Record& record(const DeviceId& id, std::int64_t now_ms);
  void keep_out(Record& record, std::int64_t now_ms) const;

  std::int64_t keep_out_ms_ = 0;
  std::unordered_map<DeviceId, Record, FirstBytes> records_;
};

}  // namespace sotto
