// What Item-kNN and User-kNN share: who is near whom, by the likeness of binary rows. With c columns in
// common, a and b of each row's own, and n columns in all, it is
//   cosine    c / (√(a·b) + shrink)
//   jaccard   c / (a + b − c + shrink)
//   pearson   (c − a·b/n) / (√(a(1 − a/n) · b(1 − b/n)) + shrink): the correlation of the two rows over all n
//             columns, those that neither has among them
// Laws: the neighbours kept are the k nearest with something in common and a likeness above 0, ordered by
// (likeness descending, index ascending); the result does not depend on the executor. Rows are multiplied
// with the transposed matrix one at a time: never more than one dense row of counters a shard, k neighbours a
// row kept, and at most two bytes an interaction for the columns that so many rows have that they are
// compared as bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/hash.h"
#include "base/result.h"
#include "data/audiences.h"
#include "data/histories.h"
#include "model/central/nearest.h"

namespace sotto::model {

enum class Similarity : std::uint8_t { cosine, jaccard, pearson };
[[nodiscard]] Result<Similarity> parse_similarity(const std::string& text);
[[nodiscard]] const char* to_string(Similarity similarity);

struct KnnOptions {
  std::uint32_t neighbors = 50;
  float shrink = 0.0f;
  Similarity similarity = Similarity::cosine;
};

// Fails for 0 neighbours or a shrink that is negative or not a number.
[[nodiscard]] Status check(const KnnOptions& options);

class NeighborLists {
 public:
  NeighborLists(std::size_t rows, std::size_t k) : k_(k), lengths_(rows, 0), entries_(rows * k) {}
  [[nodiscard]] std::size_t rows() const { return lengths_.size(); }
  [[nodiscard]] std::span<const Neighbor> of(std::size_t row) const {
    return std::span(entries_).subspan(row * k_, lengths_[row]);
  }
  void set(std::size_t row, std::span<const Neighbor> neighbors);
  void add_numbers(Hasher& hasher) const {
    hasher.array(std::span(lengths_));
    for (std::size_t row = 0; row < rows(); ++row) hasher.array(of(row));
  }

 private:
  std::size_t k_;
  std::vector<std::uint32_t> lengths_;
  std::vector<Neighbor> entries_;
};

// Two rows as the likeness sees them.
struct RowPair {
  std::uint64_t common = 0;
  std::size_t size_a = 0;
  std::size_t size_b = 0;
  std::size_t columns = 0;
};
[[nodiscard]] float likeness(const RowPair& pair, const KnnOptions& options);

[[nodiscard]] NeighborLists nearest_items(const Histories& histories, const Audiences& audiences,
                                          const KnnOptions& options, Executor& executor);
[[nodiscard]] NeighborLists nearest_users(const Histories& histories, const Audiences& audiences,
                                          const KnnOptions& options, Executor& executor);
// The k users nearest to somebody with this history.
[[nodiscard]] std::vector<Neighbor> nearest_to_history(std::span<const ItemIndex> history,
                                                       const Histories& histories, const Audiences& audiences,
                                                       const KnnOptions& options);
// The likeness of every item to `item`, by their audiences.
void likeness_to_item(ItemIndex item, const Histories& histories, const Audiences& audiences,
                      const KnnOptions& options, std::span<float> out);

}  // namespace sotto::model
