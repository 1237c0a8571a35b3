// What Item-kNN and User-kNN share: who is near whom, by cosine of binary rows.
//
// The likeness of two rows is common / (√(size · size) + shrink). Laws: the neighbours kept are the k
// nearest with something in common, ordered by (likeness descending, index ascending); the result does not
// depend on the executor. Rows are multiplied with the transposed matrix one at a time: never more than one
// dense row of counters a shard, k neighbours a row kept, and at most two bytes an interaction for the
// columns that so many rows have that they are compared as bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "data/histories.h"

namespace sotto {

struct KnnOptions {
  std::uint32_t neighbors = 50;
  float shrink = 0.0f;
};

// Fails for 0 neighbours or a shrink that is negative or not a number.
[[nodiscard]] Status check(const KnnOptions& options);

// The users of each item: the histories transposed, users ascending.
class Audiences {
 public:
  Audiences(const Histories& histories, std::size_t catalogue);
  [[nodiscard]] std::size_t items() const { return offsets_.size() - 1; }
  [[nodiscard]] std::span<const UserIndex> of(ItemIndex item) const {
    return std::span(users_).subspan(offsets_[item.value], offsets_[item.value + 1] - offsets_[item.value]);
  }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<UserIndex> users_;
};

struct Neighbor {
  std::uint32_t index = 0;
  float likeness = 0.0f;
  bool operator==(const Neighbor&) const = default;
};

class NeighborLists {
 public:
  NeighborLists(std::size_t rows, std::size_t k) : k_(k), lengths_(rows, 0), entries_(rows * k) {}
  [[nodiscard]] std::size_t rows() const { return lengths_.size(); }
  [[nodiscard]] std::span<const Neighbor> of(std::size_t row) const {
    return std::span(entries_).subspan(row * k_, lengths_[row]);
  }
  void set(std::size_t row, std::span<const Neighbor> neighbors);

 private:
  std::size_t k_;
  std::vector<std::uint32_t> lengths_;
  std::vector<Neighbor> entries_;
};

[[nodiscard]] float cosine(std::uint32_t common, std::size_t size_a, std::size_t size_b, float shrink);

[[nodiscard]] NeighborLists nearest_items(const Histories& histories, const Audiences& audiences,
                                          const KnnOptions& options, Executor& executor);
[[nodiscard]] NeighborLists nearest_users(const Histories& histories, const Audiences& audiences,
                                          const KnnOptions& options, Executor& executor);
// The k users nearest to somebody with this history.
[[nodiscard]] std::vector<Neighbor> nearest_to_history(std::span<const ItemIndex> history,
                                                       const Histories& histories, const Audiences& audiences,
                                                       const KnnOptions& options);
// The likeness of every item to `item`, by their audiences.
void likeness_to_item(ItemIndex item, const Histories& histories, const Audiences& audiences, float shrink,
                      std::span<float> out);

}  // namespace sotto
