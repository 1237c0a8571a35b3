#include "fed/pair_aggregator.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/assert.h"

namespace sotto::fed {

namespace {

constexpr std::size_t most_triangle_items = 8192;  // 0.3 GB
constexpr std::size_t fresh_limit = std::size_t{1} << 20;

bool before(const PairEntry& a, const PairEntry& b) { return a.key < b.key; }

// Adds up neighbours with one key.
void add_equal(std::vector<PairEntry>& pairs) {
  std::size_t kept = 0;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    if (kept > 0 && pairs[kept - 1].key == pairs[n].key) {
      pairs[kept - 1].sum += pairs[n].sum;
    } else {
      pairs[kept++] = pairs[n];
    }
  }
  pairs.resize(kept);
}

}  // namespace

PairAggregator::Form PairAggregator::form_for(std::size_t items) {
  return items <= most_triangle_items ? Form::triangle : Form::sparse;
}

PairAggregator::PairAggregator(std::size_t items, PersonWeight weight, Form form)
    : items_(items), weight_(weight), form_(form), popularity_(items, 0) {
  if (form == Form::triangle) triangle_.assign(triangle_size(items), 0);
}

Status PairAggregator::accept(const ItemSet& set) {
  SOTTO_ASSERT(!spent_, "a released or merged sum is spent");
  const auto items = set.items();
  if (!items.empty() && items.back() >= items_)
    return fail(Code::bad_input,
                fmt::format("item set refused: it holds an item outside the catalogue of {}", items_));
  ++contributions_;
  people_ += items.empty() ? 0 : 1;
  const std::uint64_t weight = weight_.of(items.size());
  for (std::size_t n = 0; n < items.size(); ++n) {
    ++popularity_[items[n]];
    if (form_ == Form::triangle) {
      std::uint64_t* row = triangle_.data() + triangle_size(items[n]);
      for (std::size_t k = 0; k <= n; ++k) row[items[k]] += weight;
    } else {
      for (std::size_t k = 0; k <= n; ++k) fresh_.push_back({PairEntry::key_of(items[n], items[k]), weight});
    }
  }
  if (fresh_.size() > std::max(fresh_limit, sorted_.size() / 2)) settle();
  return Done{};
}

void PairAggregator::settle() {
  std::sort(fresh_.begin(), fresh_.end(), before);
  add_equal(fresh_);
  const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
  sorted_.insert(sorted_.end(), fresh_.begin(), fresh_.end());
  fresh_.clear();
  std::inplace_merge(sorted_.begin(), sorted_.begin() + middle, sorted_.end(), before);
  add_equal(sorted_);
}

void PairAggregator::merge(PairAggregator&& other) {
  SOTTO_ASSERT(!spent_ && !other.spent_, "a released or merged sum is spent");
  SOTTO_ASSERT(items_ == other.items_ && weight_ == other.weight_ && form_ == other.form_,
               "only sums of one shape merge");
  other.spent_ = true;
  contributions_ += other.contributions_;
  people_ += other.people_;
  for (std::size_t item = 0; item < items_; ++item) popularity_[item] += other.popularity_[item];
  for (std::size_t n = 0; n < triangle_.size(); ++n) triangle_[n] += other.triangle_[n];
  if (form_ == Form::triangle) return;
  other.settle();
  fresh_.insert(fresh_.end(), other.sorted_.begin(), other.sorted_.end());
  settle();
}

PairSum PairAggregator::release() && {
  SOTTO_ASSERT(!spent_, "a sum is released once");
  spent_ = true;
  PairSum::People people{people_, std::move(popularity_), weight_.unit()};
  if (form_ == Form::triangle) return {std::move(people), std::move(triangle_)};
  settle();
  return {std::move(people), sorted_};
}

}  // namespace sotto::fed
