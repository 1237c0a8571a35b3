// Conduct: what sums showed about devices, so that one that spoils them is not asked for ever.
//
// Laws: who gives what no honest device could give to a plain sum is refused, and kept out of all sums for a
// while the third time: what is signed is the device's own. Who was named in a sum is kept out of secure sums
// for a while at once; a dispute names nobody, and each weighs the same on both sides, so that whoever lies
// about several pays for each. A sum that failed without a name puts its members in doubt, in its task alone:
// each takes part in about half of the rounds until sums with it commit, so that the one who spoils them is
// soon among few. On doubt no more are kept out at once than may be corrupt. It is kept in memory, of devices
// that something was found out about, and forgotten after the time that keeps one out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/registry.h"

namespace sotto::server {

class Conduct {
 public:
  static constexpr std::uint32_t most_disputes = 3;  // then it is kept out
  static constexpr std::uint32_t most_refused = 3;   // then it is kept out, and again after so many more
  static constexpr std::uint32_t most_doubts = 6;    // in one task; then it may be

  struct Record {
    std::uint32_t refused = 0;  // contributions to plain sums
    std::uint32_t named = 0;
    std::uint32_t disputes = 0;
    std::map<std::string, std::uint32_t> doubts;    // by task
    std::int64_t last_ms = 0;                       // when something was found out
    std::optional<std::int64_t> refused_since_ms;   // it is kept out of all sums since then
    std::optional<std::int64_t> kept_out_since_ms;  // of secure ones
    bool on_doubt = false;                          // that is why it is kept out
    [[nodiscard]] std::uint32_t all_doubts() const;
  };
  struct Disputant {
    DeviceId device{};
    std::uint32_t opponents = 1;
  };
  // What one sum showed.
  struct Findings {
    std::string task;
    std::vector<DeviceId> named, doubted, cleared;
    std::vector<Disputant> suspected;
    std::size_t most_on_doubt = 1;  // kept out on doubt at once
  };

  void set_keep_out(std::int64_t keep_out_ms) { keep_out_ms_ = keep_out_ms; }
  void note(const Findings& findings, std::int64_t now_ms);
  void note_refused(const DeviceId& id, std::int64_t now_ms);
  // Whether it may give to plain sums: what secure sums show, they alone can show.
  [[nodiscard]] bool may_give(const DeviceId& id, std::int64_t now_ms) const;
  // Whether it may take part in a secure sum.
  [[nodiscard]] bool may_join(const std::string& task, const DeviceId& id, std::uint32_t round,
                              std::int64_t now_ms) const;
  // 0: it is not. The time that keeps one out is the one that holds now.
  [[nodiscard]] std::int64_t kept_out_until(const Record& record) const;
  [[nodiscard]] bool is_kept_out(const Record& record, std::int64_t now_ms) const {
    return now_ms < kept_out_until(record);
  }
  [[nodiscard]] std::size_t kept_out(std::int64_t now_ms) const;
  // Null: nothing was found out.
  [[nodiscard]] const Record* find(const DeviceId& id) const;
  void forget(const DeviceId& id) { records_.erase(id); }

 private:
  Record& record(const DeviceId& id, std::int64_t now_ms);
  void forget_old(std::int64_t now_ms);
  void note_doubts(const Findings& findings, std::int64_t now_ms);

  std::int64_t keep_out_ms_ = 0;
  std::unordered_map<DeviceId, Record, FirstBytes> records_;
};

}  // namespace sotto::server
