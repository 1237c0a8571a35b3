#include "model/kgflex/kgflex_recommender.h"

#include <algorithm>
#include <array>

namespace sotto::model {

namespace {

// Somebody new draws as the last of all indices, which no user has.
constexpr UserIndex nobody{0xFFFF'FFFF};

}  // namespace

KgflexRecommender::KgflexRecommender(Kgflex model, const RowMatrix* users, const RowMatrix* features)
    : model_(std::move(model)), users_(users), shared_(features) {}

KgflexRecommender::KgflexRecommender(Kgflex model, RowMatrix users, RowMatrix features)
    : model_(std::move(model)),
      own_users_(std::move(users)),
      own_features_(std::move(features)),
      users_(&own_users_),
      shared_(&own_features_) {}

KgflexRecommender::Parts KgflexRecommender::parts_of(const FeatureProfile& profile, const float* own) const {
  Parts parts;
  parts.reserve(profile.features.size());
  for (std::size_t n = 0; n < profile.features.size(); ++n) {
    const FeatureIndex feature = profile.features[n];
    const float product =
        dot_rows(own + n * shared_->stride(), shared_->row(feature.value), shared_->stride());
    parts.push_back({feature, profile.gains[n] * product, profile.gains[n]});
  }
  return parts;
}

KgflexRecommender::Parts KgflexRecommender::parts_of_nobody(std::optional<UserIndex> user) const {
  const KeepsBack& keeps_back = model_.devices().keeps_back();
  Parts parts;
  for (std::uint32_t row = 0; row < shared_->rows(); ++row)
    if (!user || !keeps_back || !keeps_back(*user, {row}))
      parts.push_back({{row}, shared_->row(row)[model_.options().factors], 0.0f});
  return parts;
}

KgflexRecommender::Parts KgflexRecommender::parts_of(UserIndex user) const {
  const FeatureProfile own = profile(user);
  return own.features.empty() ? parts_of_nobody(user)
                              : parts_of(own, users_->row(user.value - model_.devices().first().value));
}

RowMatrix KgflexRecommender::learned(const FeatureProfile& profile,
                                     std::span<const ItemIndex> history) const {
  const KgflexDevices& devices = model_.devices();
  RowMatrix rows(1, std::max<std::size_t>(profile.features.size(), 1) * shared_->stride());
  for (std::size_t n = 0; n < profile.features.size(); ++n)
    rows.row(0)[n * shared_->stride() + model_.options().factors] = 1.0f;
  const Histories histories({0, history.size()}, {history.begin(), history.end()});
  const Membership consumed(histories, devices.catalogue());
  const PairSampler sampler(histories, consumed, devices.catalogue(), model_.options().seed, nobody);
  KgflexWork work(model_.options(), devices.features());
  work.begin(profile, *shared_, rows.row(0));
  const auto steps = static_cast<std::uint32_t>(fold_in_passes * history.size());
  for (std::uint32_t t = 0; t < steps; ++t) {
    if (!work.gather(sampler.draw(0, nobody, t), false, false)) continue;
    work.move(nullptr);
  }
  return rows;
}

RowMatrix KgflexRecommender::fold_in(UserIndex user) const {
  const FeatureProfile own = profile(user);
  const UserIndex place{user.value - model_.devices().first().value};
  return learned(
      own, own.features.empty() ? std::span<const ItemIndex>() : model_.devices().histories().of(place));
}

KgflexRecommender::Parts KgflexRecommender::parts_of(std::span<const ItemIndex> history) const {
  const KgflexDevices& devices = model_.devices();
  const OwnedProfile own =
      make_profile(history, nobody, devices.catalogue(), devices.features(), devices.options(), {});
  if (own.features.empty()) return parts_of_nobody();
  return parts_of(own.view(), learned(own.view(), history).row(0));
}

void KgflexRecommender::add_up(const Parts& parts, ItemRange items, std::span<float> out) const {
  std::fill(out.begin(), out.end(), 0.0f);
  auto vetoed = vetoed_.begin();
  for (const Reason& part : parts) {
    while (vetoed != vetoed_.end() && *vetoed < part.feature) ++vetoed;
    if (vetoed != vetoed_.end() && *vetoed == part.feature) continue;
    const auto with = features().items_with(part.feature);
    for (auto item = std::ranges::lower_bound(with, ItemIndex{items.begin});
         item != with.end() && item->value < items.end; ++item)
      out[item->value - items.begin] += part.part;
  }
}

void KgflexRecommender::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  for (std::size_t k = 0; k < users.size(); ++k)
    add_up(parts_of(users[k]), items, out.subspan(k * items.size(), items.size()));
}

void KgflexRecommender::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  add_up(parts_of(history), {0, static_cast<std::uint32_t>(catalogue())}, out);
}

Status KgflexRecommender::similar(ItemIndex item, std::span<float> out) const {
  std::fill(out.begin(), out.end(), 0.0f);
  const auto own = features().of(item);
  for (const FeatureIndex feature : own)
    for (const ItemIndex other : features().items_with(feature))
      if (other.value < out.size()) out[other.value] += 1.0f;
  for (std::uint32_t other = 0; other < out.size(); ++other) {
    const float all = static_cast<float>(own.size() + features().of({other}).size()) - out[other];
    out[other] = all > 0.0f ? out[other] / all : 0.0f;
  }
  return Done{};
}

std::vector<Reason> KgflexRecommender::among(const Parts& parts, ItemIndex item) const {
  std::vector<Reason> reasons;
  const auto of_item = features().of(item);
  for (const Reason& part : parts)
    if (std::ranges::binary_search(of_item, part.feature) &&
        !std::ranges::binary_search(vetoed_, part.feature))
      reasons.push_back(part);
  std::ranges::stable_sort(reasons, [](const Reason& a, const Reason& b) { return a.part > b.part; });
  return reasons;
}

std::vector<Reason> KgflexRecommender::reasons(UserIndex user, ItemIndex item) const {
  return among(parts_of(user), item);
}

std::vector<std::vector<Reason>> KgflexRecommender::reasons_for_history(
    std::span<const ItemIndex> history, std::span<const ItemIndex> items) const {
  const Parts parts = parts_of(history);
  std::vector<std::vector<Reason>> all;
  for (const ItemIndex item : items) all.push_back(among(parts, item));
  return all;
}

}  // namespace sotto::model
