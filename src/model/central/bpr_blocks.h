// BprBlocks: how an epoch of BPR is cut into jobs that share no row, so that they can run at once and give
// the same bytes on any number of threads.
//
// Users are cut into ranges of about equally many interactions, items into as many random sets. In part s of
// an epoch job a takes the interactions of user range a with item set (a + s) mod blocks, each once an epoch,
// in random order, and draws its negative items from the same set. Sets and orders are dealt anew every few
// epochs, and each epoch begins at another place: over the epochs every pair of items meets. With one block a
// negative item comes from the whole catalogue. Law: jobs and what they draw depend on the data, the number
// of blocks, the seed and the epoch alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/executor.h"
#include "data/membership.h"

namespace sotto::model {

struct UserItem {
  UserIndex user;
  ItemIndex item;
};

struct BprTriple {
  UserIndex user;
  ItemIndex positive;
  ItemIndex negative;
};

struct BprJob {
  std::span<const UserItem> interactions;
  std::span<const ItemIndex> items;
  std::uint32_t number = 0;  // within the epoch
  std::uint32_t start = 0;   // the interaction that comes first
};

class BprBlocks {
 public:
  // The data outlives the object. `blocks` 0: as many as the data is large enough for.
  BprBlocks(const Histories& train, std::size_t catalogue, std::uint32_t blocks, std::uint64_t seed);

  [[nodiscard]] std::uint32_t blocks() const { return blocks_; }
  [[nodiscard]] std::size_t interactions() const { return interactions_.size(); }
  // Cuts anew for an epoch.
  void cut(std::uint32_t epoch, Executor& executor);
  // The items as the last cut() dealt them, set after set.
  [[nodiscard]] std::span<const ItemIndex> dealt() const { return dealt_; }
  // Job `a` of part `part`, both below blocks(). Valid until the next cut().
  [[nodiscard]] BprJob job(std::uint32_t part, std::uint32_t a) const;

  // Draw number `first`, a multiple of most_draws, and those that follow, most_draws or as many as the job
  // has. Returns how many triples there are: a draw whose user has all items of the set gives none.
  static constexpr std::size_t most_draws = 64;
  std::size_t draw(const BprJob& job, std::uint32_t first, const Membership& consumed, BprTriple* out) const;

 private:
  void deal_items(std::uint32_t deal);
  void sort_range(std::uint32_t range);
  void shuffle(std::span<UserItem> interactions, std::uint32_t number) const;
  // A negative item where the first try is one the user has; false if there is none. `bits` are the draw's.
  [[nodiscard]] static bool other_negative(const BprJob& job, const Membership& consumed, std::uint64_t bits,
                                           BprTriple& triple);

  const Histories& train_;
  std::uint32_t blocks_;
  std::uint64_t seed_;
  std::uint32_t epoch_ = 0;
  std::optional<std::uint32_t> dealt_for_;
  std::vector<std::uint32_t> first_user_;    // of each range, and the end
  std::vector<ItemIndex> dealt_;             // the items, set after set
  std::vector<std::uint32_t> first_item_;    // of each set in dealt_, and the end
  std::vector<std::uint8_t> set_of_;         // of each item
  std::vector<UserItem> interactions_;       // range after range, and in a range set after set
  std::vector<std::uint64_t> first_of_job_;  // of range·blocks + set in interactions_, and the end
};

}  // namespace sotto::model
