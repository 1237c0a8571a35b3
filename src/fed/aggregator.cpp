#include "fed/aggregator.h"

#include <fmt/core.h>

#include <utility>

#include "base/kernels.h"

namespace sotto::fed {

SumSpace::SumSpace(std::size_t rows, std::size_t width)
    : width_(width),
      stride_(RowMatrix::stride_for(width)),
      sums_(rows * stride_),
      touched_(rows + 1),
      last_seen_(rows, 0) {
  std::fill_n(sums_.data(), sums_.size(), 0);
}

Aggregator::Aggregator(SumSpace& space) : space_(&space), first_serial_(0) {
  // Numbers are used up only after two thousand million contributions; then they start again.
  if (space.serial_ > 1u << 31) {
    space.serial_ = 0;
    std::fill(space.last_seen_.begin(), space.last_seen_.end(), 0);
  }
  first_serial_ = space.serial_ + 1;
}

Aggregator::Aggregator(Aggregator&& other) noexcept
    : space_(std::exchange(other.space_, nullptr)),
      first_serial_(other.first_serial_),
      touched_(other.touched_),
      contributions_(other.contributions_),
      distinct_rows_(other.distinct_rows_) {}

Aggregator::~Aggregator() {
  if (space_ == nullptr) return;
  for (const std::uint32_t row : touched()) std::fill_n(sums_of(row), space_->stride_, 0);
  end();
}

bool Aggregator::fits(const Contribution& contribution) const {
  if (contribution.width() != space_->width_) return false;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    if (contribution.row(n) >= space_->rows()) return false;
  return true;
}

Status Aggregator::accept(const Contribution& contribution) {
  SOTTO_ASSERT(space_ != nullptr, "a released or merged sum is spent");
  if (!fits(contribution)) [[unlikely]]
    return fail(Code::bad_input,
                fmt::format("contribution refused: its shape is not that of the shared model ({} rows of {})",
                            space_->rows(), space_->width_));
  begin();
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    const std::uint32_t row = contribution.row(n);
    note(row);
    if (kernels::add_row(sums_of(row), contribution.values(n), space_->stride_)) widen(row);
  }
  return Done{};
}

void Aggregator::widen(std::uint32_t row) {
  const std::size_t stride = space_->stride_;
  if (space_->wide_place_.empty()) space_->wide_place_.assign(space_->rows(), 0);
  std::uint32_t& place = space_->wide_place_[row];
  if (place == 0) {
    space_->wide_rows_.push_back(row);
    place = static_cast<std::uint32_t>(space_->wide_rows_.size());
    space_->wide_.resize(space_->wide_rows_.size() * stride, 0);
  }
  std::int64_t* wide = space_->wide_.data() + std::size_t{place - 1} * stride;
  std::int32_t* narrow = sums_of(row);
  for (std::size_t k = 0; k < stride; ++k) wide[k] += std::exchange(narrow[k], 0);
}

void Aggregator::merge(Aggregator&& other) {
  SOTTO_ASSERT(space_ != nullptr && other.space_ != nullptr, "a released or merged sum is spent");
  SOTTO_ASSERT(space_->rows() == other.space_->rows() && space_->width_ == other.space_->width_,
               "only sums of one shape merge");
  const std::uint64_t rows_before = distinct_rows_;
  const std::size_t stride = space_->stride_;
  ++space_->serial_;
  for (const std::uint32_t row : other.touched()) {
    note(row);
    if (const std::int64_t* more = other.wide_total(row)) {
      widen(row);
      std::int64_t* wide = space_->wide_.data() + std::size_t{space_->wide_place_[row] - 1} * stride;
      for (std::size_t k = 0; k < stride; ++k) wide[k] += more[k];
    } else if (kernels::add_row(sums_of(row), other.sums_of(row), stride)) {
      widen(row);
    }
    std::fill_n(other.sums_of(row), stride, 0);
  }
  contributions_ += other.contributions_;
  distinct_rows_ = rows_before + other.distinct_rows_;
  other.end();
}

void Aggregator::add_total(std::uint32_t row, const std::int64_t* values) {
  SOTTO_ASSERT(space_ != nullptr, "a released or merged sum is spent");
  SOTTO_ASSERT(row < space_->rows(), "a total has the shape of the sum");
  const std::uint64_t rows_before = distinct_rows_;
  ++space_->serial_;
  note(row);
  distinct_rows_ = rows_before;
  widen(row);
  std::int64_t* wide = space_->wide_.data() + std::size_t{space_->wide_place_[row] - 1} * space_->stride_;
  for (std::size_t k = 0; k < space_->width_; ++k) wide[k] += values[k];
}

void Aggregator::sort_touched() {
  touched_ = 0;
  for (std::uint32_t row = 0; row < space_->rows(); ++row) {
    space_->touched_[touched_] = row;
    touched_ += space_->last_seen_[row] >= first_serial_ ? 1 : 0;
  }
}

// The rows are zero by now.
void Aggregator::end() {
  for (const std::uint32_t row : space_->wide_rows_) space_->wide_place_[row] = 0;
  space_->wide_rows_.clear();
  space_->wide_.clear();
  space_ = nullptr;
}

}  // namespace sotto::fed
