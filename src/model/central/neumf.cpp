#include "model/central/neumf.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace sotto::model {

namespace {

constexpr std::uint32_t fold_in_passes = 20;
constexpr float fold_in_rate = 0.1f;

float length_of(const RowMatrix& rows, std::size_t row) {
  return std::sqrt(dot_rows(rows.row(row), rows.row(row), rows.stride()));
}

RowMatrix turned(const RowMatrix& layer) {
  RowMatrix columns(layer.width(), layer.rows());
  for (std::size_t n = 0; n < layer.rows(); ++n)
    for (std::size_t k = 0; k < layer.width(); ++k) columns.row(k)[n] = layer.row(n)[k];
  return columns;
}

}  // namespace

NeuMf::NeuMf(const NeuMfOptions& options, std::uint64_t seed, const RowMatrix* users, const RowMatrix* items,
             const std::vector<RowMatrix>* layers)
    : options_(options), seed_(seed), users_(users), items_(items), layers_(layers) {
  prepare();
}

NeuMf::NeuMf(const NeuMfOptions& options, std::uint64_t seed, RowMatrix users, RowMatrix items,
             std::vector<RowMatrix> layers)
    : options_(options),
      seed_(seed),
      own_users_(std::move(users)),
      own_items_(std::move(items)),
      own_layers_(std::move(layers)),
      users_(&own_users_),
      items_(&own_items_),
      layers_(&own_layers_) {
  prepare();
}

void NeuMf::prepare() {
  SOTTO_ASSERT(have_shapes(*layers_, neumf_layer_shapes(options_)), "the layers fit the options");
  const RowMatrix& first = layers_->front();
  const std::size_t factors = options_.factors, half = options_.layers.front() / 2;
  item_first_ = RowMatrix(items_->rows(), first.rows());
  for (std::size_t item = 0; item < items_->rows(); ++item)
    for (std::size_t n = 0; n < first.rows(); ++n) {
      float sum = 0.0f;
      for (std::size_t k = 0; k < half; ++k) sum += first.row(n)[half + k] * items_->row(item)[factors + k];
      item_first_.row(item)[n] = sum;
    }
  for (std::size_t n = 1; n + 1 < layers_->size(); ++n) columns_.push_back(turned((*layers_)[n]));
  mean_user_ = RowMatrix(1, items_->width());
  float* mean = mean_user_.row(0);
  for (std::size_t user = 0; user < users_->rows(); ++user)
    for (std::size_t k = 0; k < items_->width(); ++k)
      mean[k] += users_->row(user)[k] / static_cast<float>(users_->rows());
}

NeuMf::Half NeuMf::half_of(const float* row) const {
  const RowMatrix& first = layers_->front();
  const std::size_t half = options_.layers.front() / 2;
  Half result;
  for (std::size_t k = 0; k < options_.factors; ++k)
    result.factors.push_back(layers_->back().row(0)[k] * row[k]);
  for (std::size_t n = 0; n < first.rows(); ++n) {
    float sum = first.row(n)[2 * half];
    for (std::size_t k = 0; k < half; ++k) sum += first.row(n)[k] * row[options_.factors + k];
    result.first.push_back(sum);
  }
  return result;
}

float NeuMf::score_one(const Half& half, std::size_t item, std::vector<float>& space) const {
  std::size_t size = half.first.size();
  space.resize(2 * *std::max_element(options_.layers.begin(), options_.layers.end()));
  float* x = space.data();
  float* y = x + space.size() / 2;
  const float* first = item_first_.row(item);
  for (std::size_t n = 0; n < size; ++n) x[n] = std::max(0.0f, half.first[n] + first[n]);
  for (const RowMatrix& columns : columns_) {
    const std::size_t outputs = columns.width();
    std::copy_n(columns.row(size), outputs, y);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t n = 0; n < outputs; ++n) y[n] += x[k] * columns.row(k)[n];
    for (std::size_t n = 0; n < outputs; ++n) y[n] = std::max(0.0f, y[n]);
    std::swap(x, y);
    size = outputs;
  }
  const float* last = layers_->back().row(0) + options_.factors;
  float sum = last[size];
  for (std::size_t n = 0; n < size; ++n) sum += last[n] * x[n];
  for (std::size_t k = 0; k < options_.factors; ++k) sum += half.factors[k] * items_->row(item)[k];
  return sum;
}

void NeuMf::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  std::vector<float> space;
  float* place = out.data();
  for (const UserIndex user : users) {
    const Half half = half_of(users_->row(user.value));
    for (std::uint32_t item = items.begin; item < items.end; ++item) *place++ = score_one(half, item, space);
  }
}

float NeuMf::gradient(const float* row, ItemIndex item, std::span<float> out) const {
  // Forward, every layer's values kept; then back.
  const std::size_t factors = options_.factors, half = options_.layers.front() / 2;
  const float* own = items_->row(item.value);
  std::vector<RowMatrix> values;
  for (const RowMatrix& layer : *layers_) values.emplace_back(1, layer.width());
  std::copy_n(row + factors, half, values.front().row(0));
  std::copy_n(own + factors, half, values.front().row(0) + half);
  for (std::size_t n = 0; n < layers_->size(); ++n) {
    values[n].row(0)[values[n].width() - 1] = 1.0f;
    if (n + 1 == layers_->size()) break;
    float* next = values[n + 1].row(0) + (n + 2 == layers_->size() ? factors : 0);
    apply_layer((*layers_)[n], values[n].row(0), next);
    for (std::size_t k = 0; k < (*layers_)[n].rows(); ++k) next[k] = std::max(0.0f, next[k]);
  }
  const float* last = layers_->back().row(0);
  for (std::size_t k = 0; k < factors; ++k) values.back().row(0)[k] = row[k] * own[k];
  for (std::size_t k = 0; k < factors; ++k) out[k] = last[k] * own[k];
  std::vector<float> slope(last + factors, last + layers_->back().width() - 1);
  for (std::size_t n = layers_->size() - 1; n-- > 0;) {
    const RowMatrix& layer = (*layers_)[n];
    const float* reached = values[n + 1].row(0) + (n + 2 == layers_->size() ? factors : 0);
    std::vector<float> before(layer.width() - 1, 0.0f);
    for (std::size_t k = 0; k < layer.rows(); ++k)
      if (reached[k] > 0.0f)
        for (std::size_t m = 0; m < before.size(); ++m) before[m] += slope[k] * layer.row(k)[m];
    slope = std::move(before);
  }
  std::copy_n(slope.begin(), half, out.begin() + static_cast<std::ptrdiff_t>(factors));
  return dot_rows(last, values.back().row(0), layers_->back().stride());
}

RowMatrix NeuMf::fold_in(std::span<const ItemIndex> history) const {
  RowMatrix learned = mean_user_;
  const auto items = static_cast<std::uint32_t>(catalogue());
  if (history.empty() || history.size() >= items) return learned;
  float* row = learned.row(0);
  std::vector<float> slope(learned.width());
  const auto step = [&](ItemIndex item, float wanted) {
    const float pull = fold_in_rate * (wanted - sigmoid_f32(gradient(row, item, slope)));
    for (std::size_t k = 0; k < slope.size(); ++k) row[k] += pull * slope[k];
  };
  Stream draws(seed_, Purpose::fold_in);
  for (std::uint32_t pass = 0; pass < fold_in_passes; ++pass)
    for (const ItemIndex item : history) {
      step(item, 1.0f);
      for (std::uint32_t n = 0; n < options_.negatives; ++n) {
        ItemIndex other{draws.below(items)};
        while (std::binary_search(history.begin(), history.end(), other)) other.value = draws.below(items);
        step(other, 0.0f);
      }
    }
  return learned;
}

void NeuMf::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  const RowMatrix row = fold_in(history);
  const Half half = half_of(row.row(0));
  std::vector<float> space;
  for (std::size_t item = 0; item < out.size(); ++item) out[item] = score_one(half, item, space);
}

Status NeuMf::similar(ItemIndex item, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue() && item.value < catalogue(), "one place for each item");
  const float own = length_of(*items_, item.value);
  for (std::size_t other = 0; other < out.size(); ++other) {
    const float lengths = own * length_of(*items_, other);
    const float product = dot_rows(items_->row(item.value), items_->row(other), items_->stride());
    out[other] = lengths > 0.0f ? product / lengths : 0.0f;
  }
  return Done{};
}

}  // namespace sotto::model
