#include "model/mf_recommender.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/rng.h"

namespace sotto {

namespace {

constexpr std::size_t tile_items = 128;  // item rows that stay in the nearest cache while users pass

// Length of an item's vector without its bias.
float length_of(std::span<const float> row) {
  double sum = 0.0;
  for (const float value : row.first(row.size() - 1))
    sum += static_cast<double>(value) * static_cast<double>(value);
  return static_cast<float>(std::sqrt(sum));
}

}  // namespace

MfRecommender::MfRecommender(const RowMatrix* users, const RowMatrix* items, const FoldInOptions& fold_in)
    : users_(users), items_(items), fold_in_(fold_in) {
  SOTTO_ASSERT(users->stride() == items->stride(), "user and item rows have the same shape");
}

MfRecommender::MfRecommender(RowMatrix users, RowMatrix items, const FoldInOptions& fold_in)
    : own_users_(std::move(users)),
      own_items_(std::move(items)),
      users_(&own_users_),
      items_(&own_items_),
      fold_in_(fold_in) {
  SOTTO_ASSERT(users_->stride() == items_->stride(), "user and item rows have the same shape");
}

void MfRecommender::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  const std::size_t stride = items_->stride();
  for (std::size_t begin = items.begin; begin < items.end; begin += tile_items) {
    const std::size_t end = std::min<std::size_t>(begin + tile_items, items.end);
    for (std::size_t k = 0; k < users.size(); ++k) {
      const float* user = users_->row(users[k].value);
      float* scores = out.data() + k * items.size() - items.begin;
      for (std::size_t item = begin; item < end; ++item)
        scores[item] = dot_rows(user, items_->row(item), stride);
    }
  }
}

RowMatrix MfRecommender::fold_in(std::span<const ItemIndex> history) const {
  RowMatrix vector(1, items_->width());
  float* p = vector.row(0);
  const std::size_t stride = items_->stride();
  const std::size_t factors = items_->width() - 1;
  p[factors] = 1.0f;
  const auto items = static_cast<std::uint32_t>(catalogue());
  if (history.empty() || history.size() >= items) return vector;

  Stream draws(fold_in_.seed, Purpose::fold_in);
  const float decay = fold_in_.learning_rate * fold_in_.reg;
  const std::size_t steps = history.size() * fold_in_.passes;
  for (std::size_t step = 0; step < steps; ++step) {
    const ItemIndex i = history[draws.below(static_cast<std::uint32_t>(history.size()))];
    ItemIndex j{draws.below(items)};
    while (std::binary_search(history.begin(), history.end(), j)) j.value = draws.below(items);
    const float* positive = items_->row(i.value);
    const float* negative = items_->row(j.value);
    const float difference = dot_rows(p, positive, stride) - dot_rows(p, negative, stride);
    const float pull = fold_in_.learning_rate * sigmoid_f32(-difference);
    for (std::size_t k = 0; k < stride; ++k) p[k] += pull * (positive[k] - negative[k]) - decay * p[k];
    p[factors] = 1.0f;
  }
  return vector;
}

void MfRecommender::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  const RowMatrix vector = fold_in(history);
  for (std::size_t item = 0; item < out.size(); ++item)
    out[item] = dot_rows(vector.row(0), items_->row(item), items_->stride());
}

Status MfRecommender::similar(ItemIndex item, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue() && item.value < catalogue(), "one place for each item");
  RowMatrix direction(1, items_->width());
  const auto own = items_->values(item.value);
  std::copy(own.begin(), own.end() - 1, direction.row(0));
  const float own_length = length_of(own);
  for (std::size_t other = 0; other < out.size(); ++other) {
    const float lengths = own_length * length_of(items_->values(other));
    const float product = dot_rows(direction.row(0), items_->row(other), items_->stride());
    out[other] = lengths > 0.0f ? product / lengths : 0.0f;
  }
  return Done{};
}

}  // namespace sotto
