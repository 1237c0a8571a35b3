#include "model/central/kahfm.h"

#include <fmt/core.h>

#include <algorithm>

namespace sotto::model {

Result<std::unique_ptr<BprMf>> start_kahfm(const Histories& train, std::size_t catalogue,
                                           std::shared_ptr<const ItemFeatures> features, ProfileRule rule,
                                           BprMfOptions options) {
  const std::size_t width = features->features();
  // Rows of zeros never move: with nothing known there is nothing to start from.
  if (width == 0)
    return fail(Code::bad_input,
                "kaHFM learns over the items' features, and no item has any: check --kg, or lower "
                "--kg-min-items");
  const TfIdf rows(std::move(features));
  RowMatrix items(catalogue, width + 1), users(train.users(), width + 1);
  for (std::uint32_t item = 0; item < catalogue; ++item) {
    const auto held = rows.features().of(ItemIndex{item});
    for (std::size_t n = 0; n < held.size(); ++n)
      items.row(item)[held[n].value] = rows.of(ItemIndex{item})[n];
  }
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    rows.profile(train.of(UserIndex{user}), rule, users.values(user).first(width));
    users.row(user)[width] = 1.0f;
  }
  return BprMf::start_at(train, catalogue, options, std::move(users), std::move(items));
}

KaHfm::KaHfm(std::shared_ptr<const ItemFeatures> features, ProfileRule rule, const RowMatrix* users,
             const RowMatrix* items, const FoldInOptions& fold_in)
    : rows_(std::move(features)),
      rule_(rule),
      fold_in_(fold_in),
      users_(users),
      items_(items),
      model_(std::make_unique<MfRecommender>(users, items, fold_in)) {
  SOTTO_ASSERT(items->width() == rows_.features().features() + 1, "a factor is a feature");
}

KaHfm::KaHfm(std::shared_ptr<const ItemFeatures> features, ProfileRule rule, RowMatrix users, RowMatrix items,
             const FoldInOptions& fold_in)
    : rows_(std::move(features)),
      rule_(rule),
      fold_in_(fold_in),
      own_users_(std::move(users)),
      own_items_(std::move(items)),
      users_(&own_users_),
      items_(&own_items_),
      model_(std::make_unique<MfRecommender>(users_, items_, fold_in)) {
  SOTTO_ASSERT(items_->width() == rows_.features().features() + 1, "a factor is a feature");
}

void KaHfm::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  model_->score(users, items, out);
}

bool KaHfm::sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const {
  return model_->sweep(users, items, sink);
}

void KaHfm::score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  model_->score_items(user, items, out);
}

RowMatrix KaHfm::vector_of(std::span<const ItemIndex> history) const {
  RowMatrix start(1, items_->width());
  rows_.profile(history, rule_, start.values(0).first(items_->width() - 1));
  return model_->fold_in(history, std::move(start));
}

void KaHfm::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  model_->score_vector(vector_of(history), out);
}

Status KaHfm::similar(ItemIndex item, std::span<float> out) const { return model_->similar(item, out); }

std::vector<Reason> KaHfm::parts(const float* user, ItemIndex item) const {
  const float* row = model_->items().row(item.value);
  std::vector<Reason> found;
  for (std::uint32_t feature = 0; feature + 1 < items_->width(); ++feature)
    if (const float part = user[feature] * row[feature]; part != 0.0f)
      found.push_back({FeatureIndex{feature}, part, user[feature]});
  sort_reasons(found);
  return found;
}

std::vector<Reason> KaHfm::reasons(UserIndex user, ItemIndex item) const {
  return parts(users_->row(user.value), item);
}

std::vector<std::vector<Reason>> KaHfm::reasons_for_history(std::span<const ItemIndex> history,
                                                            std::span<const ItemIndex> items) const {
  const RowMatrix vector = vector_of(history);
  std::vector<std::vector<Reason>> all;
  for (const ItemIndex item : items) all.push_back(parts(vector.row(0), item));
  return all;
}

void KaHfm::veto(std::vector<FeatureIndex> features) {
  RowMatrix without = *items_;
  for (std::size_t item = 0; item < without.rows(); ++item)
    for (const FeatureIndex feature : features) without.row(item)[feature.value] = 0.0f;
  model_ = std::make_unique<MfRecommender>(users_, std::move(without), fold_in_);
}

}  // namespace sotto::model
