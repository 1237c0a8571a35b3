// PairSum: PairCounts that are held, as a federation's server has them. A triangle where the catalogue is
// small, else only the pairs that occur.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/pair_counts.h"

namespace sotto::model {

// The sum of a pair whose first item is not below its second.
struct PairEntry {
  std::uint64_t key = 0;  // first · 2³² + second
  std::uint64_t sum = 0;
  [[nodiscard]] static std::uint64_t key_of(std::uint32_t first, std::uint32_t second) {
    return std::uint64_t{first} << 32 | second;
  }
  [[nodiscard]] std::uint32_t first() const { return static_cast<std::uint32_t>(key >> 32); }
  [[nodiscard]] std::uint32_t second() const { return static_cast<std::uint32_t>(key); }
};

class PairSum final : public PairCounts {
 public:
  // What a sum knows beside its pairs.
  struct People {
    std::uint64_t count = 0;
    std::vector<std::uint32_t> popularity;
    double unit = 1.0;
  };
  // sums[i(i + 1)/2 + j] is that of items i ≥ j.
  PairSum(People people, std::vector<std::uint64_t> triangle);
  // Ascending keys, each once, sums above 0.
  PairSum(People people, std::span<const PairEntry> pairs);

  PairSum(PairSum&&) noexcept = default;
  [[nodiscard]] std::uint64_t people() const override { return people_.count; }
  [[nodiscard]] std::span<const std::uint32_t> popularity() const override { return people_.popularity; }
  [[nodiscard]] double unit() const override { return people_.unit; }
  void row(std::uint32_t item, PairRow& out) const override;
  // The same pairs under the items' numbers in a catalogue: items[n], ascending, in place of n. The
  // catalogue's other items are in no pair.
  [[nodiscard]] PairSum renumbered(std::span<const std::uint32_t> items, std::size_t catalogue) const;
  // Takes back what one person added: their items, ascending, at least one, and the weight of their pairs.
  void subtract(std::span<const std::uint32_t> items, std::uint64_t weight);

 private:
  [[nodiscard]] std::uint64_t& sum_of(std::uint32_t item, std::uint32_t other);

  People people_;
  std::vector<std::uint64_t> triangle_;
  // Or compressed rows, both halves of the symmetric sum.
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> others_;
  std::vector<std::uint64_t> sums_;
  bool has_zeros_ = false;  // among them, since something was taken back
};

[[nodiscard]] inline std::size_t triangle_size(std::size_t items) { return items * (items + 1) / 2; }

}  // namespace sotto::model
