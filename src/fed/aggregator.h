// Aggregator: the server's sum of one round. accept / merge / release() &&.
//
// Laws: it takes Contributions, and what a SumSink or a HistorySink lets through, alone; refused input leaves
// no trace; any order and any split over aggregators give the same bytes, because sums are integers; release
// happens once. Sums are 32 bits wide; a row that comes near their end moves into 64 bits, where 2^31
// contributions fit. The memory lies in a SumSpace that outlives the round, so that a round allocates
// nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "base/result.h"
#include "privacy/contribution.h"

namespace sotto::fed {

class SumSpace {
 public:
  SumSpace(std::size_t rows, std::size_t width);

  [[nodiscard]] std::size_t rows() const { return last_seen_.size(); }
  [[nodiscard]] std::size_t width() const { return width_; }

 private:
  friend class Aggregator;

  std::size_t width_;
  std::size_t stride_;
  AlignedBuffer<std::int32_t> sums_;       // a row each; zero outside of a round
  std::vector<std::int64_t> wide_;         // the rows that outgrew theirs, in order of arrival
  std::vector<std::uint32_t> wide_rows_;   // which those are
  std::vector<std::uint32_t> wide_place_;  // of each row in wide_, plus one; empty until a row needs it
  std::vector<std::uint32_t> touched_;     // room for the rows of a round, and one more
  std::vector<std::uint32_t> last_seen_;   // the last contribution that held the row
  std::uint32_t serial_ = 0;               // of contributions, over all rounds
};

class Aggregator {
 public:
  explicit Aggregator(SumSpace& space);
  Aggregator(Aggregator&& other) noexcept;
  Aggregator(const Aggregator&) = delete;
  Aggregator& operator=(const Aggregator&) = delete;
  Aggregator& operator=(Aggregator&&) = delete;
  ~Aggregator();  // an unreleased sum is forgotten

  [[nodiscard]] Status accept(const Contribution& contribution);
  // Adds the other's sum and ends it. Both have the same shape.
  void merge(Aggregator&& other);
  // Adds a row of a sum that was made elsewhere (fed/collector.h): width() integers. Counts no contribution.
  void add_total(std::uint32_t row, const std::int64_t* values);

  [[nodiscard]] std::uint64_t contributions() const { return contributions_; }
  // Σ over contributions of the number of distinct rows in each: what the encoded bytes depend on.
  [[nodiscard]] std::uint64_t distinct_rows() const { return distinct_rows_; }

  // Calls each(row, sums) once a touched row; `sums` are width() integers of 32 or 64 bits. The aggregator
  // is spent.
  template <class Each>
  void release(Each&& each) && {
    SOTTO_ASSERT(space_ != nullptr, "a sum is released once");
    // Where most rows were touched, going through them all in their order is faster than in that of arrival.
    if (touched_ > space_->rows() / 4) sort_touched();
    for (const std::uint32_t row : touched()) {
      if (const std::int64_t* wide = wide_total(row)) {
        each(row, wide);
      } else {
        each(row, const_cast<const std::int32_t*>(sums_of(row)));
      }
      std::fill_n(sums_of(row), space_->stride_, 0);
    }
    end();
  }

 private:
  friend class SumSink;
  friend class HistorySink;

  // A contribution begins; note() says which rows it holds, any number of times each.
  void begin() {
    ++space_->serial_;
    SOTTO_ASSERT(space_->serial_ != 0, "a round has fewer than 2^31 contributions");
    ++contributions_;
  }
  void note(std::uint32_t row) {
    // Which rows repeat is a coin toss: no branch on it.
    std::uint32_t& seen = space_->last_seen_[row];
    distinct_rows_ += seen != space_->serial_ ? 1 : 0;
    space_->touched_[touched_] = row;
    touched_ += seen < first_serial_ ? 1 : 0;
    seen = space_->serial_;
  }
  [[nodiscard]] std::int32_t* sums_of(std::uint32_t row) const {
    return space_->sums_.data() + std::size_t{row} * space_->stride_;
  }
  void prefetch(std::uint32_t row) const {
    for (std::size_t k = 0; k < space_->stride_; k += cache_line_bytes / sizeof(std::int32_t))
      __builtin_prefetch(sums_of(row) + k, 1);
  }
  // Moves a row's sums into 64 bits.
  void widen(std::uint32_t row);
  // A row's whole sum where it outgrew 32 bits, else null.
  [[nodiscard]] const std::int64_t* wide_total(std::uint32_t row) {
    if (space_->wide_rows_.empty() || space_->wide_place_[row] == 0) [[likely]]
      return nullptr;
    widen(row);
    return space_->wide_.data() + std::size_t{space_->wide_place_[row] - 1} * space_->stride_;
  }
  [[nodiscard]] std::span<const std::uint32_t> touched() const {
    return std::span(space_->touched_).first(touched_);
  }
  [[nodiscard]] bool fits(const Contribution& contribution) const;
  void sort_touched();
  void end();

  SumSpace* space_;
  std::uint32_t first_serial_;
  std::size_t touched_ = 0;  // rows of this round, in order of arrival in the space's touched_
  std::uint64_t contributions_ = 0;
  std::uint64_t distinct_rows_ = 0;
};

}  // namespace sotto::fed
