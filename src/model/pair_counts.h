// PairCounts: Σ_u w_u x_u x_uᵀ over people's item sets x_u — how much each two items were had together. All
// that EASE, SLIM, RP3β and Item-kNN need to know of people; centrally it is computed from histories, a row
// at a time; in a federation it is the one sum that leaves it.
//
// Sums are integers, so that they do not depend on order: a person's weight w_u = |x_u|^−power is rounded to
// 2^-20 before it is added (power 0: everybody counts 1). Laws: symmetric; row() is ascending, holds no
// zeros, and may be called from several threads at once, each with its own PairRow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "data/audiences.h"

namespace sotto::model {

class PersonWeight {
 public:
  PersonWeight() = default;
  explicit PersonWeight(float power) : power_(power) {}

  // What somebody with so many items adds to each of their pairs.
  [[nodiscard]] std::uint64_t of(std::size_t items) const;
  // What a weight of 1 is in these integers.
  [[nodiscard]] double unit() const { return power_ == 0.0f ? 1.0 : 0x1.0p20; }
  [[nodiscard]] bool operator==(const PersonWeight&) const = default;

 private:
  float power_ = 0.0f;
};

// One row, and the room it is made in.
struct PairRow {
  std::vector<std::uint32_t> items;
  std::vector<std::uint64_t> sums;      // of the same length
  std::vector<std::uint64_t> counters;  // all 0 between calls
};

class PairCounts {
 public:
  PairCounts(const PairCounts&) = delete;
  PairCounts& operator=(const PairCounts&) = delete;
  virtual ~PairCounts() = default;

  [[nodiscard]] std::size_t items() const { return popularity().size(); }
  // How many people there are, and how many of them have each item: Σ_u x_u.
  [[nodiscard]] virtual std::uint64_t people() const = 0;
  [[nodiscard]] virtual std::span<const std::uint32_t> popularity() const = 0;
  [[nodiscard]] virtual double unit() const = 0;
  virtual void row(std::uint32_t item, PairRow& out) const = 0;

 protected:
  PairCounts() = default;
  PairCounts(PairCounts&&) noexcept = default;
};

// The same from histories, each row computed when it is asked for.
class HistoryPairs final : public PairCounts {
 public:
  // Histories and audiences must outlive it.
  HistoryPairs(const Histories& histories, const Audiences& audiences, PersonWeight weight);

  [[nodiscard]] std::uint64_t people() const override { return people_; }
  [[nodiscard]] std::span<const std::uint32_t> popularity() const override { return popularity_; }
  [[nodiscard]] double unit() const override { return weight_.unit(); }
  void row(std::uint32_t item, PairRow& out) const override;

 private:
  const Histories& histories_;
  const Audiences& audiences_;
  PersonWeight weight_;
  std::uint64_t people_ = 0;
  std::vector<std::uint32_t> popularity_;
};

}  // namespace sotto::model
