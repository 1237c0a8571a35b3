#include "model/mf_recommender.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/math.h"
#include "base/rng.h"
#include "base/score_kernels.h"
#include "model/finite_scores.h"

namespace sotto::model {

namespace {

// Below it a sum stays far from what a float cannot hold, whatever its roundings.
constexpr double safe_score = 1e38;

// The largest absolute value in the rows; infinite or not a number where one is.
double largest(std::span<const float* const> rows, std::size_t width) {
  // As whole numbers the patterns of absolute values keep their order, and what is not finite comes last.
  std::uint32_t most = 0;
  for (const float* row : rows)
    for (std::size_t k = 0; k < width; ++k)
      most = std::max(most, std::bit_cast<std::uint32_t>(row[k]) & 0x7FFFFFFFu);
  return static_cast<double>(std::bit_cast<float>(most));
}

// Writes the scores of a sweep down.
class Copy final : public ScoreSink {
 public:
  Copy(std::size_t users, ItemRange items, std::span<float> out)
      : thresholds_(users, 0.0f), items_(items), out_(out) {}
  [[nodiscard]] const float* thresholds() const override { return thresholds_.data(); }
  void take(const ScoreTile& tile) override {
    for (std::size_t k = 0; k < tile.users; ++k)
      std::copy_n(tile.scores + k * tile_items, tile.items.size(),
                  out_.data() + (tile.user + k) * items_.size() + (tile.items.begin - items_.begin));
  }

 private:
  std::vector<float> thresholds_;
  ItemRange items_;
  std::span<float> out_;
};

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

MfRecommender::MfRecommender(const RowMatrix* users, RowMatrix items, const FoldInOptions& fold_in)
    : own_items_(std::move(items)), users_(users), items_(&own_items_), fold_in_(fold_in) {}

MfRecommender::MfRecommender(RowMatrix users, RowMatrix items, const FoldInOptions& fold_in)
    : own_users_(std::move(users)),
      own_items_(std::move(items)),
      users_(&own_users_),
      items_(&own_items_),
      fold_in_(fold_in) {
  SOTTO_ASSERT(users_->stride() == items_->stride(), "user and item rows have the same shape");
}

bool MfRecommender::sweep_rows(std::span<const float* const> rows, ItemRange items, ScoreSink& sink) const {
  const std::size_t width = items_->width();
  const double most_of_users = largest(rows, width);
  AlignedBuffer<float> panel(kernels::panel_floats(width));
  AlignedBuffer<float> scores(kernels::tile_users * tile_items);
  std::uint64_t above[kernels::tile_users];
  bool finite = true;
  for (std::size_t begin = items.begin; begin < items.end; begin += tile_items) {
    const std::size_t count = std::min<std::size_t>(tile_items, items.end - begin);
    const float* item_rows[tile_items];
    for (std::size_t n = 0; n < count; ++n) item_rows[n] = items_->row(begin + n);
    const auto most_of_items = static_cast<double>(
        kernels::pack_panel(std::span<const float* const>(item_rows).first(count), width, panel.data()));
    const bool may_overflow = !(most_of_users * most_of_items * static_cast<double>(width) < safe_score);
    for (std::size_t first = 0; first < rows.size(); first += kernels::tile_users) {
      const auto tile = rows.subspan(first, std::min(kernels::tile_users, rows.size() - first));
      kernels::score_panel(panel.data(), width, tile, sink.thresholds() + first, scores.data(), above);
      if (may_overflow) finite &= all_finite(std::span(scores.data(), tile.size() * tile_items));
      sink.take({.user = first,
                 .users = tile.size(),
                 .items = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + count)},
                 .scores = scores.data(),
                 .above = above});
    }
  }
  return finite;
}

bool MfRecommender::sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const {
  std::vector<const float*> rows;
  rows.reserve(users.size());
  for (const UserIndex user : users) rows.push_back(users_->row(user.value));
  return sweep_rows(rows, items, sink);
}

void MfRecommender::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  Copy copy(users.size(), items, out);
  static_cast<void>(sweep(users, items, copy));
}

void MfRecommender::score_items(UserIndex user, std::span<const ItemIndex> items,
                                std::span<float> out) const {
  SOTTO_ASSERT(out.size() == items.size(), "one place for each score");
  const std::size_t width = items_->width();
  const float* row = users_->row(user.value);
  AlignedBuffer<float> panel(kernels::panel_floats(width));
  alignas(cache_line_bytes) float scores[tile_items];
  for (std::size_t begin = 0; begin < items.size(); begin += tile_items) {
    const std::size_t count = std::min(tile_items, items.size() - begin);
    const float* rows[tile_items];
    for (std::size_t n = 0; n < count; ++n) rows[n] = items_->row(items[begin + n].value);
    kernels::pack_panel(std::span<const float* const>(rows).first(count), width, panel.data());
    const float threshold = 0.0f;
    std::uint64_t above = 0;
    kernels::score_panel(panel.data(), width, std::span(&row, 1), &threshold, scores, &above);
    std::copy_n(scores, count, out.data() + begin);
  }
}

RowMatrix MfRecommender::fold_in(std::span<const ItemIndex> history) const {
  return fold_in(history, RowMatrix(1, items_->width()));
}

RowMatrix MfRecommender::fold_in(std::span<const ItemIndex> history, RowMatrix vector) const {
  float* p = vector.row(0);
  const std::size_t stride = items_->stride();
  const std::size_t factors = items_->width() - 1;
  p[factors] = 1.0f;
  const auto items = static_cast<std::uint32_t>(catalogue());
  if (fold_in_.exact) {
    SerialExecutor alone;
    const auto outcome = AlsSolver(*fold_in_.exact).solve(FactorSide(*items_, alone), history, items, p);
    if (!outcome.solved) std::fill_n(p, factors, 0.0f);  // a score is finite
    return vector;
  }
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
  score_vector(fold_in(history), out);
}

void MfRecommender::score_vector(const RowMatrix& vector, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  const ItemRange items{0, static_cast<std::uint32_t>(out.size())};
  const float* row = vector.row(0);
  Copy copy(1, items, out);
  static_cast<void>(sweep_rows(std::span(&row, 1), items, copy));
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

}  // namespace sotto::model
