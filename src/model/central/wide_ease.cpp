#include "model/central/wide_ease.h"

#include <algorithm>

namespace sotto::model {

WideEase::WideEase(const Histories& train, std::size_t catalogue, float recency)
    : train_(train),
      audiences_(train, catalogue),
      recency_(recency),
      inverse_(train.users()),
      remainder_(catalogue) {}

Result<std::unique_ptr<WideEase>> WideEase::fit(const Histories& train, std::size_t catalogue,
                                                const EaseOptions& options, Executor& executor) {
  SOTTO_TRY_DONE(check(options));
  std::unique_ptr<WideEase> model(new WideEase(train, catalogue, options.recency));
  SOTTO_TRY_DONE(model->solve(static_cast<double>(options.lambda), executor));
  return model;
}

Status WideEase::solve(double lambda, Executor& executor) {
  lambda_ = lambda;
  const std::size_t people = train_.users();
  for (std::uint32_t user = 0; user < people; ++user) {
    const auto row = inverse_.row(user);
    for (const ItemIndex item : train_.of(UserIndex{user}))
      for (const UserIndex other : audiences_.of(item)) row[other.value] += 1.0;
    row[user] += lambda;
  }
  statistics_ = hash_lower(inverse_, executor);
  SOTTO_TRY_DONE(invert(inverse_, executor));
  const std::size_t shards = std::min(catalogue(), executor.threads() * 8);
  executor.run(shards, [&](std::size_t shard) {
    for (std::size_t item = catalogue() * shard / shards; item < catalogue() * (shard + 1) / shards; ++item) {
      const auto audience = audiences_.of(ItemIndex{static_cast<std::uint32_t>(item)});
      double sum = 0.0;
      for (const UserIndex a : audience)
        for (const UserIndex b : audience) sum += inverse_.at(a.value, b.value);
      remainder_[item] = 1.0 - sum;
    }
  });
  return Done{};
}

void WideEase::weigh_people(std::span<const ItemIndex> history, std::span<const float> recency,
                            std::span<double> people) const {
  std::fill(people.begin(), people.end(), 0.0);
  for (std::size_t k = 0; k < history.size(); ++k) {
    const double weight = recency.empty() ? 1.0 : static_cast<double>(recency[k]);
    for (const UserIndex user : audiences_.of(history[k])) {
      const auto row = inverse_.row(user.value);
      for (std::size_t n = 0; n < people.size(); ++n) people[n] += weight * row[n];
    }
  }
}

void WideEase::score_by(std::span<const double> people, std::span<const ItemIndex> history,
                        std::span<const float> recency, ItemRange items, float* out) const {
  auto own = std::lower_bound(history.begin(), history.end(), ItemIndex{items.begin});
  for (std::uint32_t item = items.begin; item < items.end; ++item) {
    double sum = 0.0;
    for (const UserIndex user : audiences_.of(ItemIndex{item})) sum += people[user.value];
    double score = sum / remainder_[item];
    if (own != history.end() && own->value == item) {
      const auto place = static_cast<std::size_t>(own - history.begin());
      const double weight = recency.empty() ? 1.0 : static_cast<double>(recency[place]);
      score = weight - (weight - sum) / remainder_[item];
      ++own;
    }
    out[item - items.begin] = static_cast<float>(score);
  }
}

void WideEase::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  std::vector<double> people(train_.users());
  std::vector<float> recency;
  for (std::size_t k = 0; k < users.size(); ++k) {
    recency_.weigh(train_.ages_of(users[k]), recency);
    if (recency.empty()) {
      // k_u is u's row of K without λ, so K⁻¹k_u is known already: e_u − λK⁻¹e_u.
      const auto row = inverse_.row(users[k].value);
      for (std::size_t n = 0; n < people.size(); ++n) people[n] = -lambda_ * row[n];
      people[users[k].value] += 1.0;
    } else {
      weigh_people(train_.of(users[k]), recency, people);
    }
    score_by(people, train_.of(users[k]), recency, items, out.data() + k * items.size());
  }
}

void WideEase::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  std::vector<double> people(train_.users());
  weigh_people(history, {}, people);
  score_by(people, history, {}, {0, static_cast<std::uint32_t>(out.size())}, out.data());
}

Status WideEase::similar(ItemIndex item, std::span<float> out) const {
  score_history(std::span(&item, 1), out);
  return Done{};
}

void WideEase::add_numbers(Hasher& hasher) const {
  std::vector<double> sums(inverse_.size(), 0.0);
  for (std::size_t row = 0; row < sums.size(); ++row)
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n] += trial_weight(row) * inverse_.at(row, n);
  hasher.text(statistics_);
  add_rounded(sums, hasher);
  add_rounded(remainder_, hasher);
}

}  // namespace sotto::model
