// Ledger: the device's own record of what left it, one line a round. Append-only: every line names the hash
// of the line before and is signed (Ed25519), and a signed head says how many lines there are and the hash of
// the last.
//
//   line   number, round, task, mechanism, ε so far, bytes, items, hash of the line before, signature
//   head   number of lines, hash of the last, signature
//
// Laws: read_ledger() accepts what append() wrote, and nothing else: a changed, removed, repeated or moved
// line, a cut end and a line of another key are found, and named by number. Two traces of a crash are
// accepted and said: a last line that is not whole, and a head that is one line behind.
// What it cannot find: an older ledger together with the older head, both put back. And whoever has the key
// can write another ledger: it protects from everybody else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::privacy {

struct LedgerEntry {
  std::uint32_t round = 0;
  std::string task = {};                    // which model it was for
  std::string mechanism = {};               // what protected it on its way: plain, secure …
  std::optional<double> epsilon = {};       // of all rounds so far and this one; none: no bound
  std::optional<std::uint64_t> bytes = {};  // sent; none: what protects it decides, after the line is written
  std::vector<std::string> items = {};      // those of the person's items that are in it, by name

  bool operator==(const LedgerEntry&) const = default;
};

// The device's signing key. Wiped when it goes.
class LedgerKey {
 public:
  static constexpr std::size_t seed_bytes = 32;

  explicit LedgerKey(std::span<const std::byte, seed_bytes> seed);
  LedgerKey(const LedgerKey&) = delete;
  LedgerKey& operator=(const LedgerKey&) = delete;
  LedgerKey(LedgerKey&& other) noexcept;
  LedgerKey& operator=(LedgerKey&&) = delete;
  ~LedgerKey();

  [[nodiscard]] const std::string& public_key() const { return public_; }  // 64 hexadecimal digits
  [[nodiscard]] std::string sign(std::string_view text) const;             // 128 of them

 private:
  std::array<unsigned char, 64> secret_{};
  std::string public_;
};
[[nodiscard]] bool is_signed(std::string_view text, std::string_view signature, std::string_view public_key);

// Where a ledger ends.
class LedgerHead {
 public:
  explicit LedgerHead(std::string_view public_key);  // of an empty one

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] const std::string& hash() const { return hash_; }
  // The line for the next entry, without its end; the head moves on.
  [[nodiscard]] std::string append(const LedgerEntry& entry, const LedgerKey& key);
  // As it is kept beside the ledger.
  [[nodiscard]] std::string text(const LedgerKey& key) const;

  bool operator==(const LedgerHead&) const = default;

 private:
  friend class LedgerReader;
  std::uint64_t lines_ = 0;
  std::string hash_;
};

struct LedgerReading {
  std::vector<LedgerEntry> entries;
  LedgerHead head;              // of the lines that are there
  std::size_t whole_bytes = 0;  // the length of the whole lines
  bool torn = false;            // more follows that is not a whole line
  bool head_behind = false;     // the kept head does not know of the last line yet
};

// A kept head alone, its signature checked: where the next line goes.
[[nodiscard]] Result<LedgerHead> read_head(std::string_view head, const std::string& public_key);

// A ledger and its kept head, checked. The error names the first line that is wrong, and never an item.
[[nodiscard]] Result<LedgerReading> read_ledger(std::string_view ledger, std::string_view head,
                                                const std::string& public_key);

}  // namespace sotto::privacy
