#include "fed/aggregator.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/kernels.h"

namespace sotto {

SumSpace::SumSpace(std::size_t rows, std::size_t width)
    : width_(width),
      stride_(RowMatrix::stride_for(width)),
      sums_(rows * stride_),
      place_(rows, 0),
      last_seen_(rows, 0) {}

Aggregator::Aggregator(Aggregator&& other) noexcept
    : space_(std::exchange(other.space_, nullptr)),
      first_serial_(other.first_serial_),
      contributions_(other.contributions_),
      distinct_rows_(other.distinct_rows_) {}

Aggregator::~Aggregator() {
  if (space_ != nullptr) end();
}

bool Aggregator::fits(const Contribution& contribution) const {
  if (contribution.width() != space_->width_) return false;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    if (contribution.row(n) >= space_->rows()) return false;
  return true;
}

Aggregator::Place Aggregator::open(std::uint32_t row) {
  std::uint64_t& seen = space_->last_seen_[row];
  const bool is_new = seen < first_serial_;
  if (is_new) {
    space_->place_[row] = static_cast<std::uint32_t>(space_->touched_.size());
    space_->touched_.push_back(row);
  }
  if (seen < space_->serial_) {
    seen = space_->serial_;
    ++distinct_rows_;
  }
  return {space_->sums_.data() + std::size_t{space_->place_[row]} * space_->stride_, is_new};
}

void Aggregator::prefetch(std::uint32_t row) const {
  const std::int64_t* sums = space_->sums_.data() + std::size_t{space_->place_[row]} * space_->stride_;
  for (std::size_t k = 0; k < space_->stride_; k += cache_line_bytes / sizeof(std::int64_t))
    __builtin_prefetch(sums + k, 1);
}

Status Aggregator::accept(const Contribution& contribution) {
  SOTTO_ASSERT(space_ != nullptr, "a released or merged sum is spent");
  if (!fits(contribution)) [[unlikely]]
    return fail(Code::bad_input,
                fmt::format("contribution refused: its shape is not that of the shared model ({} rows of {})",
                            space_->rows(), space_->width_));
  ++space_->serial_;
  ++contributions_;
  const std::size_t stride = space_->stride_;
  constexpr std::size_t ahead = 4;
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    if (n + ahead < contribution.size()) prefetch(contribution.row(n + ahead));
    const Place place = open(contribution.row(n));
    kernels::add_row(place.sums, contribution.values(n), stride, place.is_new);
  }
  return Done{};
}

void Aggregator::merge(Aggregator&& other) {
  SOTTO_ASSERT(space_ != nullptr && other.space_ != nullptr, "a released or merged sum is spent");
  SOTTO_ASSERT(space_->rows() == other.space_->rows() && space_->width_ == other.space_->width_,
               "only sums of one shape merge");
  const std::uint64_t rows_before = distinct_rows_;
  ++space_->serial_;
  const std::size_t stride = space_->stride_;
  const std::int64_t* more = other.space_->sums_.data();
  for (const std::uint32_t row : other.space_->touched_) {
    const Place place = open(row);
    // Modulo 2^64: unsigned, so that it wraps and never is undefined.
    for (std::size_t k = 0; k < stride; ++k)
      place.sums[k] =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(more[k]) +
                                    (place.is_new ? 0 : static_cast<std::uint64_t>(place.sums[k])));
    more += stride;
  }
  contributions_ += other.contributions_;
  distinct_rows_ = rows_before + other.distinct_rows_;
  other.end();
}

void Aggregator::end() {
  space_->touched_.clear();
  space_ = nullptr;
}

}  // namespace sotto
