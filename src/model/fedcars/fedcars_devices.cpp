#include "model/fedcars/fedcars_devices.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "data/recency.h"

namespace sotto::model {

FedcarsDevices::FedcarsDevices(const Split& split, Histories trained_on, ContextTermsOf terms,
                               const FedcarsOptions& options, UserIndex first)
    : split_(split),
      contexts_(split.contexts ? split.contexts : std::make_shared<const Contexts>()),
      trained_on_(std::move(trained_on)),
      terms_(std::move(terms)),
      seed_(options.seed),
      first_(first),
      layout_(fedcars_layout(split.catalogue, contexts_->values(), options)) {
  const auto is_recency = [](const ContextDimension& dimension) { return dimension.name == "recency"; };
  recency_ = static_cast<std::size_t>(std::ranges::find_if(contexts_->dimensions, is_recency) -
                                      contexts_->dimensions.begin());
  SOTTO_ASSERT(split.records != nullptr && split.records->has_ratings, "the split has ratings");
  const std::size_t records = trained_on_.interactions();
  ends_.reserve(records + 1);
  timeless_ends_.reserve(records);
  targets_.reserve(records);
  weights_.assign(records, 1.0f);
  choice_weights_.assign(records, 1.0f);
  for (std::uint32_t row = 0; row < trained_on_.users(); ++row)
    add_person(UserIndex{first.value + row}, options);
}

bool FedcarsDevices::lets_in(std::optional<UserIndex> user, ItemIndex item, std::size_t dimension) const {
  if (!user || !terms_) return true;
  const ContextTerms& terms = terms_(*user);
  const bool known = dimension < contexts_->dimensions.size();
  if (!terms.whole && (!known || contexts_->dimensions[dimension].looks_back)) return false;
  if (!known) return terms.shares.empty();
  return terms.shares.empty() || carries(seed_, *user, item, dimension, terms.shares[dimension]);
}

void FedcarsDevices::add_values(std::optional<UserIndex> user, ItemIndex item,
                                std::span<const std::uint32_t> values, std::vector<FmFeature>& out) const {
  // The values of one dimension share one unit of length.
  for (std::size_t n = 0; n < values.size();) {
    if (values[n] == no_context) {
      ++n;
      continue;
    }
    const std::size_t dimension = contexts_->dimension_of(values[n]);
    std::size_t end = n;
    while (end < values.size() && values[end] != no_context &&
           contexts_->dimension_of(values[end]) == dimension)
      ++end;
    const float x = 1.0f / std::sqrt(static_cast<float>(end - n));
    const bool in = lets_in(user, item, dimension);
    for (; n < end; ++n)
      if (in) out.push_back({layout_.value_row(values[n]), x});
  }
}

void FedcarsDevices::describe(std::optional<UserIndex> user, const Occasion& occasion,
                              std::vector<FmFeature>& out) const {
  if (occasion.item.value < layout_.items) out.push_back({occasion.item.value, 1.0f});
  add_values(user, occasion.item, contexts_->items.of(occasion.item.value), out);
  if (user) add_values(user, occasion.item, contexts_->people.of(row_of(*user).value), out);
  add_values(user, occasion.item, occasion.values, out);
}

void FedcarsDevices::add_person(UserIndex user, const FedcarsOptions& options) {
  const auto kept = trained_on_.of(row_of(user));
  const auto all = split_.train.of(row_of(user));
  const std::uint64_t first = split_.train.offsets()[row_of(user).value];
  std::size_t place = 0;
  for (const ItemIndex item : kept) {
    while (all[place] != item) ++place;
    targets_.push_back(split_.records->train.ratings[first + place] - middle());
    describe(user, {item}, features_);
    timeless_ends_.push_back(features_.size());
    if (contexts_->train.width > 0) add_values(user, item, contexts_->train.of(first + place), features_);
    ends_.push_back(features_.size());
  }
  if (!split_.train.has_ages()) return;
  const float choices = options.choice_half_life > 0.0f ? options.choice_half_life : options.half_life;
  if (options.half_life > 0.0f) place_in_time(user, options.half_life, weights_);
  if (choices > 0.0f) place_in_time(user, choices, choice_weights_);
}

void FedcarsDevices::place_in_time(UserIndex user, float half_life, std::vector<float>& placed) {
  const auto kept = trained_on_.of(row_of(user));
  const auto all = split_.train.of(row_of(user));
  const auto all_ages = split_.train.ages_of(row_of(user));
  std::vector<std::pair<std::uint16_t, std::size_t>> line;  // newest first
  std::size_t place = 0;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    while (all[place] != kept[k]) ++place;
    line.emplace_back(all_ages[place], k);
  }
  std::sort(line.begin(), line.end());
  std::vector<std::uint16_t> ages;
  for (std::size_t age = 0; age < line.size(); ++age)
    ages.push_back(static_cast<std::uint16_t>(std::min<std::size_t>(age, Histories::most_age)));
  std::vector<float> weights;
  Recency(half_life).weigh(ages, weights);
  const std::uint64_t here = trained_on_.offsets()[row_of(user).value];
  for (std::size_t age = 0; age < line.size(); ++age)
    if (lets_in(user, kept[line[age].second], recency_)) placed[here + line[age].second] = weights[age];
}

FedcarsDevices::Rated FedcarsDevices::record(UserIndex user, std::size_t k) const {
  const std::uint64_t at = trained_on_.offsets()[row_of(user).value] + k;
  const std::span all(features_);
  return {.item = trained_on_.items()[at],
          .target = targets_[at],
          .weight = weights_[at],
          .choice_weight = choice_weights_[at],
          .features = all.subspan(ends_[at], ends_[at + 1] - ends_[at]),
          .timeless = all.subspan(ends_[at], timeless_ends_[at] - ends_[at])};
}

float FedcarsDevices::held_out_target(UserIndex user, std::size_t k) const {
  return split_.records->test.ratings[split_.test.offsets()[row_of(user).value] + k] - middle();
}

Occasion FedcarsDevices::held_out_occasion(UserIndex user, std::size_t k) const {
  const std::uint64_t at = split_.test.offsets()[row_of(user).value] + k;
  return {split_.test.of(row_of(user))[k],
          contexts_->test.width > 0 ? contexts_->test.of(at) : std::span<const std::uint32_t>{}};
}

}  // namespace sotto::model
