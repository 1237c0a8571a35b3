// Aggregator: the server's sum of one round. accept / merge / release() &&.
//
// Laws: it takes Contributions only; refused input leaves no trace; any order and any split over
// aggregators give the same bytes, because sums are integers modulo 2^64; release happens once.
// The memory lies in a SumSpace that outlives the round, so that a round allocates nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "base/result.h"
#include "privacy/contribution.h"

namespace sotto {

class SumSpace {
 public:
  SumSpace(std::size_t rows, std::size_t width);

  [[nodiscard]] std::size_t rows() const { return last_seen_.size(); }
  [[nodiscard]] std::size_t width() const { return width_; }

 private:
  friend class Aggregator;

  std::size_t width_;
  std::size_t stride_;
  // The sums of the rows of this round, in order of arrival: a small round stays in the cache whatever
  // the catalogue. What lies beyond touched_.size() rows is old and overwritten when a row arrives.
  AlignedBuffer<std::int64_t> sums_;
  std::vector<std::uint32_t> touched_;    // the row of each place in sums_
  std::vector<std::uint32_t> place_;      // of each row in sums_, valid if seen in this round
  std::vector<std::uint64_t> last_seen_;  // the last contribution that held the row
  std::uint64_t serial_ = 0;              // of contributions, over all rounds
};

class Aggregator {
 public:
  explicit Aggregator(SumSpace& space) : space_(&space), first_serial_(space.serial_ + 1) {}
  Aggregator(Aggregator&& other) noexcept;
  Aggregator(const Aggregator&) = delete;
  Aggregator& operator=(const Aggregator&) = delete;
  Aggregator& operator=(Aggregator&&) = delete;
  ~Aggregator();  // an unreleased sum is forgotten

  [[nodiscard]] Status accept(const Contribution& contribution);
  // Adds the other's sum and ends it. Both have the same shape.
  void merge(Aggregator&& other);

  [[nodiscard]] std::uint64_t contributions() const { return contributions_; }
  // Σ over contributions of the number of distinct rows in each: what the encoded bytes depend on.
  [[nodiscard]] std::uint64_t distinct_rows() const { return distinct_rows_; }

  // Calls each(row, sums) once a touched row; `sums` has width() integers. The aggregator is spent.
  template <class Each>
  void release(Each&& each) && {
    SOTTO_ASSERT(space_ != nullptr, "a sum is released once");
    const std::int64_t* sums = space_->sums_.data();
    for (const std::uint32_t row : space_->touched_) {
      each(row, sums);
      sums += space_->stride_;
    }
    end();
  }

 private:
  [[nodiscard]] bool fits(const Contribution& contribution) const;
  // Where the row's sums are, and whether they are new to this round and hold nothing yet.
  struct Place {
    std::int64_t* sums;
    bool is_new;
  };
  Place open(std::uint32_t row);
  // Asks for the memory that open() and the addition will touch.
  void prefetch(std::uint32_t row) const;
  void end();

  SumSpace* space_;
  std::uint64_t first_serial_;
  std::uint64_t contributions_ = 0;
  std::uint64_t distinct_rows_ = 0;
};

}  // namespace sotto
