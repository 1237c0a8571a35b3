// For tests: a vault with something of every kind, about to move, and the places it moves to.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "device/testing/vault_world.h"
#include "device/vault_move.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::device {

// Cheap; what it costs in earnest is the command's test's to see.
inline constexpr Stretching cheap{.salt = {}, .passes = 1, .memory_kib = 8 * 1024};
inline constexpr RecordKind of_later_versions{200};

using AllRecords = std::map<std::pair<int, std::string>, std::string>;

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void put_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class MovingVault : public ::testing::Test {
 protected:
  MovingVault() {
    {
      const auto vault = Vault::open(old_, old_key_, Making::if_missing).value();
      PersonalPolicy policy;
      EXPECT_TRUE(set_level(policy, "balanced").ok());
      EXPECT_TRUE(vault->set_policy(policy).ok());
      EXPECT_TRUE(
          vault->keep_enrolment({.identity_seed = Secret(simulated_key(2, "id")), .index = 7, .own_seed = 99})
              .ok());
      EXPECT_TRUE(vault->set_note("server", "somewhere").ok());
      EXPECT_TRUE(world_.fill(*vault, "t", 3).ok());
      nonce_ = vault->next_nonce(1000).value();
    }
    auto records = SealedRecords::open(old_, old_key_, Making::never).value();
    EXPECT_TRUE(records.put(of_later_versions, "x", std::string(200'000, 'y')).ok());
    all_ = all_of(records);
  }

  // Fewer writes to be killed at.
  void shrink() {
    auto records = SealedRecords::open(old_, old_key_, Making::never).value();
    ASSERT_TRUE(records.put(of_later_versions, "x", "y").ok());
    all_ = all_of(records);
  }
  [[nodiscard]] static AllRecords all_of(const SealedRecords& records) {
    AllRecords all;
    EXPECT_TRUE(records
                    .each([&](RecordKind kind, std::string_view name, std::string_view value) -> Status {
                      // Each arrival has one more of these.
                      if (kind == RecordKind::homes) return Done{};
                      all[{static_cast<int>(kind), std::string(name)}] = value;
                      return Done{};
                    })
                    .ok());
    return all;
  }
  [[nodiscard]] static Result<AllRecords> all_in(const std::string& path, const VaultKey& key) {
    SOTTO_TRY(const SealedRecords records, SealedRecords::open(path, key, Making::never));
    return all_of(records);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] Status out(const std::string& name = "file") const {
    return move_out(old_, old_key_, at(name), words_, cheap);
  }
  [[nodiscard]] Status in(const std::string& name = "file", const std::string& vault = "new.db",
                          const std::string& machine = "taken") const {
    return move_in(at(name), words_, at(vault), new_key_, at(machine));
  }
  [[nodiscard]] std::string why_not(const Status& status) const {
    EXPECT_FALSE(status.ok());
    const std::string why = status.ok() ? "" : status.error().message;
    for (const char* secret : {"item 3", "somewhere", "carry"})
      EXPECT_EQ(why.find(secret), std::string::npos) << why;
    return why;
  }

  const storage::ScratchFolder folder_;
  const std::string old_ = folder_.file("old.db");
  const VaultWorld world_;
  const Secret old_key_{simulated_key(1, "old machine")};
  const Secret new_key_{simulated_key(1, "new machine")};
  const Passphrase words_{"carry these five words"};
  std::uint64_t nonce_ = 0;
  AllRecords all_;
};

inline testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' has no '" << part << "'";
}

}  // namespace sotto::device
