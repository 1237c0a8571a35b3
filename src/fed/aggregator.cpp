#include "fed/aggregator.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/kernels.h"

namespace sotto {

SumSpace::SumSpace(std::size_t rows, std::size_t width)
    : width_(width), stride_(RowMatrix::stride_for(width)), sums_(rows * stride_, 0), last_seen_(rows, 0) {}

Aggregator::Aggregator(Aggregator&& other) noexcept
    : space_(std::exchange(other.space_, nullptr)),
      first_serial_(other.first_serial_),
      contributions_(other.contributions_),
      distinct_rows_(other.distinct_rows_) {}

Aggregator::~Aggregator() {
  if (space_ != nullptr) wipe();
}

bool Aggregator::fits(const Contribution& contribution) const {
  if (contribution.width() != space_->width_) return false;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    if (contribution.row(n) >= space_->rows()) return false;
  return true;
}

std::int64_t* Aggregator::open(std::uint32_t row) {
  std::uint64_t& seen = space_->last_seen_[row];
  if (seen < first_serial_) space_->touched_.push_back(row);
  if (seen < space_->serial_) {
    seen = space_->serial_;
    ++distinct_rows_;
  }
  return space_->sums_.data() + row * space_->stride_;
}

Status Aggregator::accept(const Contribution& contribution) {
  if (!fits(contribution)) [[unlikely]]
    return fail(Code::bad_input,
                fmt::format("contribution refused: its shape is not that of the shared model ({} rows of {})",
                            space_->rows(), space_->width_));
  ++space_->serial_;
  ++contributions_;
  const std::size_t stride = space_->stride_;
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    std::int64_t* sum = open(contribution.row(n));
    const std::int32_t* values = contribution.values(n);
    kernels::add_row(sum, values, stride);
  }
  return Done{};
}

void Aggregator::merge(Aggregator&& other) {
  SOTTO_ASSERT(space_->rows() == other.space_->rows() && space_->width_ == other.space_->width_,
               "only sums of one shape merge");
  const std::uint64_t rows_before = distinct_rows_;
  ++space_->serial_;
  const std::size_t stride = space_->stride_;
  for (const std::uint32_t row : other.space_->touched_) {
    std::int64_t* sum = open(row);
    const std::int64_t* more = other.space_->sums_.data() + row * stride;
    for (std::size_t k = 0; k < stride; ++k) sum[k] += more[k];
  }
  contributions_ += other.contributions_;
  distinct_rows_ = rows_before + other.distinct_rows_;
  other.wipe();
}

void Aggregator::wipe() {
  for (const std::uint32_t row : space_->touched_)
    std::fill_n(space_->sums_.begin() + static_cast<std::ptrdiff_t>(row * space_->stride_), space_->stride_,
                0);
  space_->touched_.clear();
  space_ = nullptr;
}

}  // namespace sotto
