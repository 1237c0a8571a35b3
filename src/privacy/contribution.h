// Contribution: the only thing that leaves a device. A list of fixed-point rows of the shared model;
// rows that occur more than once add up.
//
// A model cannot make one. It asks a ContributionPipeline for each row, which applies consent first, and
// writes fixed-point integers there; pairs of items come from an ItemSet, which consent made
// (pair_contribution.h). A raw update fits neither the wire nor the aggregator. Laws: what consent forbids is
// never in it; every value is an integer within ±fixed_limit; in canonical form rows ascend and the form
// depends only on the multiset of emitted rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/fixed_point.h"
#include "base/row_matrix.h"
#include "privacy/consent.h"

namespace sotto::fed {
struct ContributionMessage;
}

namespace sotto::privacy {

class Contribution {
 public:
  explicit Contribution(std::size_t width) : width_(width), stride_(RowMatrix::stride_for(width)) {}

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::uint32_t row(std::size_t n) const { return rows_[n]; }
  // stride() integers; those beyond width() are zero.
  [[nodiscard]] const std::int32_t* values(std::size_t n) const { return values_.data() + n * stride_; }

  // Empties it and keeps its memory: one Contribution serves many visits.
  void clear() { rows_.clear(); }

  // Rows ascending and each once. A sum that would leave ±fixed_limit stays in two entries.
  void make_canonical();

 private:
  friend class ContributionPipeline;
  friend class ContributionEdit;
  friend struct fed::ContributionMessage;

  void make_room(std::size_t rows) {
    const std::size_t needed = (rows_.size() + rows) * stride_;
    if (values_.size() < needed) values_.grow(needed * 2);
  }
  std::int32_t* append(std::uint32_t row) {
    make_room(1);
    rows_.push_back(row);
    std::int32_t* values = values_.data() + (rows_.size() - 1) * stride_;
    std::fill_n(values, stride_, 0);
    return values;
  }

  std::size_t width_;
  std::size_t stride_;
  std::vector<std::uint32_t> rows_;
  AlignedBuffer<std::int32_t> values_;  // at least size() · stride_; grows, never shrinks
};

// What every update goes through on its way out: consent filter → fixed point → Contribution.
class ContributionPipeline {
 public:
  ContributionPipeline() = default;  // leads nowhere
  ContributionPipeline(const ConsentGate& gate, FixedPoint fixed, Contribution& out)
      : gate_(gate), scale_(fixed.scale()), out_(&out) {}

  // Room for so many rows to come: what open() returns stays valid until they are used up.
  void make_room(std::size_t rows) { out_->make_room(rows); }
  // Where the fixed-point update of a row is added (stride() integers, all zero), each value being worth
  // 1 / scale(); null if consent keeps the row on the device.
  [[nodiscard]] std::int32_t* open(Evidence evidence, std::uint32_t row) { return open(evidence, row, row); }
  // The same where the row that comes from an item has another number than the item.
  [[nodiscard]] std::int32_t* open(Evidence evidence, std::uint32_t item, std::uint32_t row) {
    return leave(evidence, item) ? open_row(row) : nullptr;
  }
  // Whether what an item says may leave, for models that gather it before they write rows.
  [[nodiscard]] bool leave(Evidence evidence, std::uint32_t item) { return gate_.allows(evidence, item); }
  // Where a row of what was gathered with leave is added.
  [[nodiscard]] std::int32_t* open_row(std::uint32_t row) { return out_->append(row); }
  // A contribution grows in place: nothing to ask for.
  void prefetch(std::uint32_t /*row*/) const {}
  // One update never crowds a row of its own.
  void relieve(std::uint32_t /*row*/) {}
  [[nodiscard]] float scale() const { return scale_; }

 private:
  ConsentGate gate_;
  float scale_ = 0.0f;
  Contribution* out_ = nullptr;
};

}  // namespace sotto::privacy
