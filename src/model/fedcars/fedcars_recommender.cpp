#include "model/fedcars/fedcars_recommender.h"

#include <algorithm>
#include <cmath>

#include "data/pair_sampler.h"

namespace sotto::model {

namespace {

// The round and the person that no training has, for draws of their own.
constexpr std::uint32_t no_round = 0xFFFF'FFFF;
constexpr UserIndex nobody{0xFFFF'FFFF};
// A list hangs on which items were drawn as not chosen; so many times as many, each counting less, hide it.
constexpr std::uint32_t draws = 5;

}  // namespace

float FedcarsRecommender::on_scale(float score) const {
  const RatingScale& scale = model_.devices().scale();
  return std::clamp(model_.devices().middle() + score, scale.lowest, scale.highest);
}

void FedcarsRecommender::add_ratings(UserIndex user, FedcarsWork& work) const {
  const FedcarsDevices& devices = model_.devices();
  for (std::size_t k = 0; k < devices.records(user); ++k) {
    const FedcarsDevices::Rated record = devices.record(user, k);
    work.add(FedcarsHead::rating, ExampleUse::support, record.features, record.target, record.weight);
  }
}

void FedcarsRecommender::add_choices(std::span<const ItemIndex> history, std::optional<UserIndex> user,
                                     FedcarsWork& work) const {
  const FedcarsDevices& devices = model_.devices();
  if (history.empty()) return;
  const Histories own({0, history.size()}, {history.begin(), history.end()});
  const Membership consumed(own, catalogue());
  const UserIndex drawn_as = user.value_or(nobody);
  const PairSampler sampler(own, consumed, catalogue(), model_.options().seed, drawn_as);
  std::vector<FmFeature> features;
  const auto add = [&](ItemIndex item, float target, float weight) {
    features.clear();
    devices.describe(user, {item}, features);
    work.add(FedcarsHead::choice, ExampleUse::support, features, target, weight);
  };
  std::uint32_t draw = 0;
  for (std::size_t k = 0; k < history.size(); ++k) {
    const float weight = user ? devices.record(*user, k).choice_weight : 1.0f;
    add(history[k], 1.0f, weight);
    for (std::uint32_t t = 0; history.size() < catalogue() && t < draws * model_.options().negatives; ++t)
      add(sampler.draw(no_round, drawn_as, draw++).negative, 0.0f, weight / static_cast<float>(draws));
  }
}

void FedcarsRecommender::adapt_to(UserIndex user, FedcarsWork& work) const {
  work.begin(*shared_);
  if (model_.options().chooses)
    add_choices(model_.devices().history(user), user, work);
  else
    add_ratings(user, work);
  work.adapt(ranking_head());
}

// What the own row learned adds for a feature: r̂ with it less r̂ without it, as the person adapted less as
// everybody starts. Without a network that is x_f v_f·(p − p_0), and the parts add up.
ScoreParts FedcarsRecommender::parts_of(UserIndex user, ItemIndex item) const {
  FedcarsWork own(model_.options(), model_.layout()), everybody(model_.options(), model_.layout());
  adapt_to(user, own);
  everybody.begin(*shared_);
  everybody.adapt(ranking_head());
  std::vector<FmFeature> features;
  model_.devices().describe(user, {item}, features);
  const float score = own.predict(ranking_head(), features);
  ScoreParts made{.score = score, .common = everybody.predict(ranking_head(), features), .values = {}};
  const float personal = made.score - made.common;
  std::vector<FmFeature> others;
  for (std::size_t n = 0; n < features.size(); ++n) {
    if (features[n].row < model_.layout().items) continue;
    others = features;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(n));
    const float without = own.predict(ranking_head(), others) - everybody.predict(ranking_head(), others);
    made.values.push_back({.value = features[n].row - model_.layout().value_row(0),
                           .part = personal - without,
                           .weight = (personal - without) / features[n].x});
  }
  return made;
}

void FedcarsRecommender::score(std::span<const UserIndex> users, ItemRange items,
                               std::span<float> out) const {
  FedcarsWork work(model_.options(), model_.layout());
  std::vector<FmFeature> features;
  for (std::size_t k = 0; k < users.size(); ++k) {
    adapt_to(users[k], work);
    for (std::uint32_t item = items.begin; item < items.end; ++item) {
      features.clear();
      model_.devices().describe(users[k], {ItemIndex{item}}, features);
      out[k * items.size() + item - items.begin] = work.predict(ranking_head(), features);
    }
  }
}

void FedcarsRecommender::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  FedcarsWork work(model_.options(), model_.layout());
  work.begin(*shared_);
  std::vector<FmFeature> features;
  if (model_.options().chooses) add_choices(history, std::nullopt, work);
  for (const ItemIndex item : history) {
    if (model_.options().chooses) break;
    features.clear();
    model_.devices().describe(std::nullopt, {item}, features);
    work.add(FedcarsHead::rating, ExampleUse::support, features, liked(), 1.0f);
  }
  work.adapt(ranking_head());
  for (std::uint32_t item = 0; item < catalogue(); ++item) {
    features.clear();
    model_.devices().describe(std::nullopt, {ItemIndex{item}}, features);
    out[item] = work.predict(ranking_head(), features);
  }
}

Status FedcarsRecommender::similar(ItemIndex item, std::span<float> out) const {
  // The cosine of what items add to a person's taste: their own row and those of their contexts.
  const std::size_t factors = model_.layout().shape.factors;
  const std::size_t from = model_.options().chooses ? model_.layout().shape.width() : 0;
  std::vector<FmFeature> features;
  const auto vector_of = [&](std::uint32_t which) {
    std::vector<float> vector(factors, 0.0f);
    features.clear();
    model_.devices().describe(std::nullopt, {ItemIndex{which}}, features);
    for (const FmFeature& feature : features)
      for (std::size_t k = 0; k < factors; ++k) vector[k] += feature.x * shared_->row(feature.row)[from + k];
    return vector;
  };
  const auto product = [](const std::vector<float>& a, const std::vector<float>& b) {
    float sum = 0.0f;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  };
  const std::vector<float> mine = vector_of(item.value);
  for (std::uint32_t other = 0; other < out.size(); ++other) {
    const std::vector<float> theirs = vector_of(other);
    const float lengths = std::sqrt(product(mine, mine) * product(theirs, theirs));
    out[other] = lengths > 0.0f ? product(mine, theirs) / lengths : 0.0f;
  }
  return Done{};
}

void FedcarsRecommender::predict(UserIndex user, std::span<const Occasion> occasions,
                                 std::span<float> out) const {
  FedcarsWork work(model_.options(), model_.layout());
  work.begin(*shared_);
  add_ratings(user, work);
  work.adapt(FedcarsHead::rating);
  std::vector<FmFeature> features;
  for (std::size_t n = 0; n < occasions.size(); ++n) {
    features.clear();
    model_.devices().describe(user, occasions[n], features);
    out[n] = on_scale(work.predict(FedcarsHead::rating, features));
  }
}

bool FedcarsRecommender::knows(UserIndex user, ItemIndex item) const {
  return item.value < catalogue() || model_.devices().records(user) > 0;
}

void FedcarsRecommender::predict_new(std::span<const KnownRating> known, std::uint32_t steps,
                                     std::span<const Occasion> occasions, std::span<float> out) const {
  FedcarsWork work(model_.options(), model_.layout());
  work.begin(*shared_);
  std::vector<FmFeature> features;
  for (const KnownRating& rating : known) {
    features.clear();
    model_.devices().describe(std::nullopt, rating.occasion, features);
    work.add(FedcarsHead::rating, ExampleUse::support, features, rating.rating - model_.devices().middle(),
             1.0f);
  }
  work.adapt(FedcarsHead::rating, steps);
  for (std::size_t n = 0; n < occasions.size(); ++n) {
    features.clear();
    model_.devices().describe(std::nullopt, occasions[n], features);
    out[n] = on_scale(work.predict(FedcarsHead::rating, features));
  }
}

}  // namespace sotto::model
