#include "model/central/multvae.h"

#include <cmath>

namespace sotto::model {

namespace {

constexpr std::size_t users_a_shard = 64;

RowMatrix unit_row(std::size_t values) {
  RowMatrix row(1, values + 1);
  row.row(0)[values] = 1.0f;
  return row;
}

void squash(std::span<float> values) {
  for (float& value : values) value = tanh_f32(value);
}

}  // namespace

MultVae::MultVae(const Histories& train, const RowMatrix* items, const std::vector<RowMatrix>* layers,
                 Executor& executor)
    : items_(items), layers_(layers), users_(train.users(), items->width()) {
  decode_all(train, executor);
}

MultVae::MultVae(const Histories& train, RowMatrix items, std::vector<RowMatrix> layers, Executor& executor)
    : own_items_(std::move(items)),
      own_layers_(std::move(layers)),
      items_(&own_items_),
      layers_(&own_layers_),
      users_(train.users(), own_items_.width()) {
  decode_all(train, executor);
}

void MultVae::decode_all(const Histories& train, Executor& executor) {
  SOTTO_ASSERT(layers_->size() == vae_layers && (*layers_)[vae_decoder].rows() + 1 == items_->width(),
               "the layers fit the output rows");
  executor.run((train.users() + users_a_shard - 1) / users_a_shard, [&](std::size_t shard) {
    const std::size_t end = std::min(train.users(), (shard + 1) * users_a_shard);
    for (std::size_t user = shard * users_a_shard; user < end; ++user)
      decode(train.of(UserIndex{static_cast<std::uint32_t>(user)}), users_.row(user));
  });
  last_step_.emplace(&users_, items_, FoldInOptions{});
}

void MultVae::decode(std::span<const ItemIndex> history, float* row) const {
  const RowMatrix& input = (*layers_)[vae_input];
  const RowMatrix& code = (*layers_)[vae_code];
  const std::size_t hidden = input.width(), latent = code.rows() / 2;
  RowMatrix first = unit_row(hidden), mean = unit_row(latent);
  float* h = first.row(0);
  for (std::size_t k = 0; k < hidden; ++k) h[k] = input.row(catalogue())[k];
  const float share = history.empty() ? 0.0f : 1.0f / std::sqrt(static_cast<float>(history.size()));
  for (const ItemIndex item : history)
    for (std::size_t k = 0; k < hidden; ++k) h[k] += share * input.row(item.value)[k];
  squash(std::span(h, hidden));
  for (std::size_t n = 0; n < latent; ++n) mean.row(0)[n] = dot_rows(code.row(n), h, code.stride());
  apply_layer((*layers_)[vae_decoder], mean.row(0), row);
  squash(std::span(row, hidden));
  row[hidden] = 1.0f;
}

void MultVae::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  last_step_->score(users, items, out);
}

bool MultVae::sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const {
  return last_step_->sweep(users, items, sink);
}

void MultVae::score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  last_step_->score_items(user, items, out);
}

void MultVae::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  RowMatrix row(1, items_->width());
  decode(history, row.row(0));
  const UserIndex somebody{0};
  MfRecommender(&row, items_, {})
      .score(std::span(&somebody, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
}

Status MultVae::similar(ItemIndex item, std::span<float> out) const { return last_step_->similar(item, out); }

}  // namespace sotto::model
