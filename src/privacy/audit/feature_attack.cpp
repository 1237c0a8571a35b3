#include "privacy/audit/feature_attack.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "privacy/audit/seen_odds.h"
#include "privacy/audit/unmixing.h"

namespace sotto::privacy {

namespace {

// B5 explains so many features: more than a profile has, fewer than the sum over a cohort.
constexpr std::size_t most_explained = 400;
// Under noise every row is there; one counts as seen if its bias is so many deviations from 0.
constexpr double clear_of_noise = 2.0;

}  // namespace

FeatureAttack::FeatureAttack(const TranscriptHead& head, const ItemFeatures& features, Question question,
                             std::vector<UserIndex> targets)
    : head_(head),
      features_(&features),
      question_(question),
      targets_(std::move(targets)),
      place_(head.users, 0),
      states_(targets_.size()),
      rarity_(features.features()),
      total_bias_(features.features(), 0.0),
      total_times_(features.features(), 0) {
  SOTTO_ASSERT(head.catalogue == features.features() && head.items <= features.items(),
               "the transcript is about these features");
  for (std::size_t n = 0; n < targets_.size(); ++n) {
    place_[targets_[n].value] = static_cast<std::uint32_t>(n + 1);
    states_[n].bias.assign(features.features(), 0.0f);
    states_[n].times.assign(features.features(), 0);
  }
  for (std::uint32_t f = 0; f < rarity_.size(); ++f)
    rarity_[f] = static_cast<float>(std::log(static_cast<double>(features.items()) /
                                             static_cast<double>(features.items_with({f}).size())));
}

bool FeatureAttack::counts(std::int64_t bias_units) const {
  if (head_.noise_sd <= 0.0f) return true;
  return std::abs(static_cast<double>(bias_units)) * head_.unit() > clear_of_noise * double{head_.noise_sd};
}

void FeatureAttack::observe(const SeenRound& round, Executor& /*executor*/) {
  for (const SeenMessage& message : round.messages) {
    const double people = static_cast<double>(std::max<std::size_t>(message.members.size(), 1));
    ++messages_;
    std::vector<State*> told;
    for (const std::uint32_t member : message.members)
      if (place_[member] != 0) told.push_back(&states_[place_[member] - 1]);
    for (State* state : told) ++state->messages;
    for (std::size_t n = 0; n < message.rows.size(); ++n) {
      const std::int64_t units = message.values[(n + 1) * head_.width - 1];
      const double bias = static_cast<double>(units) * head_.unit() / people;
      const std::uint32_t row = message.rows[n], once = counts(units) ? 1 : 0;
      total_bias_[row] += bias;
      total_times_[row] += once;
      for (State* state : told) {
        state->bias[row] += static_cast<float>(bias);
        state->times[row] += once;
      }
    }
  }
}

std::vector<float> FeatureAttack::presence(const State& state) const {
  std::vector<float> shares(state.times.size(), 0.0f);
  if (state.messages == 0) return shares;
  // One sight of a device's own row says it all; of a sum's row, how often it is there.
  for (std::size_t f = 0; f < shares.size(); ++f)
    shares[f] = head_.group > 1 ? static_cast<float>(state.times[f]) / static_cast<float>(state.messages)
                                : (state.times[f] > 0 ? 1.0f : 0.0f);
  return shares;
}

std::vector<std::uint8_t> FeatureAttack::seen(const State& state) const {
  std::vector<std::uint8_t> marks(state.times.size(), 0);
  if (state.messages == 0) return marks;
  for (std::size_t f = 0; f < marks.size(); ++f) {
    // In sums: more often than among all messages.
    const double usual = head_.group > 1
                             ? static_cast<double>(total_times_[f]) * static_cast<double>(state.messages) /
                                   static_cast<double>(messages_)
                             : 0.0;
    marks[f] = static_cast<double>(state.times[f]) > usual ? 1 : 0;
  }
  return marks;
}

std::vector<float> FeatureAttack::difference(const State& state) const {
  std::vector<float> more(state.bias.size(), 0.0f);
  const double with = state.messages;
  const double without = static_cast<double>(messages_) - with;
  if (with == 0.0 || without == 0.0) return more;
  for (std::size_t f = 0; f < more.size(); ++f) {
    const double held = double{state.bias[f]};
    more[f] = static_cast<float>(held / with - (total_bias_[f] - held) / without);
  }
  return more;
}

std::vector<float> FeatureAttack::more_often(const State& state) const {
  std::vector<float> more(state.times.size(), 0.0f);
  const double with = state.messages;
  const double without = static_cast<double>(messages_) - with;
  if (with == 0.0 || without == 0.0) return more;
  for (std::size_t f = 0; f < more.size(); ++f) {
    const double times = state.times[f];
    more[f] = static_cast<float>(times / with - (static_cast<double>(total_times_[f]) - times) / without);
  }
  return more;
}

void FeatureAttack::learn(std::span<const std::size_t> teachers, const Histories& truth, Executor& executor) {
  const bool items = question_ == Question::items;
  SeenOdds odds(*features_);
  if (items)
    for (const std::size_t n : teachers) odds.add(seen(states_[n]), truth.of(targets_[n]));
  executor.run(states_.size(), [&](std::size_t n) {
    State& state = states_[n];
    // Rows that are seen, whatever their sign: of an item that is kept back only the negative ones leave.
    state.needed = unmixed(*features_, head_.group > 1 ? more_often(state) : presence(state), most_explained);
    if (!items) return;
    state.odds = odds.score(seen(state));
    for (auto* by_item : {&state.odds, &state.needed}) by_item->resize(head_.items);
  });
}

std::vector<float> FeatureAttack::over_items(std::span<const float> by_feature) const {
  std::vector<float> scores(head_.items, 0.0f);
  for (std::uint32_t item = 0; item < scores.size(); ++item) {
    const auto own = features_->of({item});
    double sum = 0.0;
    for (const FeatureIndex feature : own) sum += double{by_feature[feature.value]};
    if (!own.empty()) scores[item] = static_cast<float>(sum / std::sqrt(static_cast<double>(own.size())));
  }
  return scores;
}

std::vector<float> FeatureAttack::rarity_mean(std::span<const float> by_feature) const {
  std::vector<float> scores(head_.items, 0.0f);
  for (std::uint32_t item = 0; item < scores.size(); ++item) {
    double sum = 0.0, all = 0.0;
    for (const FeatureIndex feature : features_->of({item})) {
      sum += double{rarity_[feature.value]} * double{by_feature[feature.value]};
      all += double{rarity_[feature.value]};
    }
    if (all > 0.0) scores[item] = static_cast<float>(sum / all);
  }
  return scores;
}

std::vector<float> FeatureAttack::over_features(std::span<const float> by_item) const {
  std::vector<float> scores(features_->features(), 0.0f);
  for (std::uint32_t f = 0; f < scores.size(); ++f) {
    const auto items = features_->items_with({f});
    double sum = 0.0;
    for (const ItemIndex item : items) sum += std::max(0.0, double{by_item[item.value]});
    scores[f] = static_cast<float>(sum / std::sqrt(static_cast<double>(items.size())));
  }
  return scores;
}

std::vector<float> FeatureAttack::evidence(Attacker attacker, std::size_t target) const {
  const State& state = states_[target];
  const bool items = question_ == Question::items;
  switch (attacker) {
    case Attacker::feature_presence:
      return items ? rarity_mean(presence(state)) : presence(state);
    case Attacker::feature_signs: {
      if (items) return over_items(state.bias);
      std::vector<float> sizes = state.bias;
      for (float& size : sizes) size = std::abs(size);
      return sizes;
    }
    case Attacker::feature_odds:
      SOTTO_ASSERT(items && !state.odds.empty(), "odds are of items, and learnt");
      return state.odds;
    case Attacker::feature_unmixing:
      SOTTO_ASSERT(!state.needed.empty(), "items are unmixed when the witness has learnt");
      return items ? state.needed : over_features(state.needed);
    case Attacker::feature_difference:
      return items ? over_items(difference(state)) : difference(state);
    default:
      break;
  }
  SOTTO_ASSERT(false, "only those who read features have evidence here");
  return {};
}

bool FeatureAttack::sent_as_own(std::size_t target, ItemIndex thing) const {
  return question_ == Question::features && head_.group <= 1 && states_[target].times[thing.value] > 0;
}

}  // namespace sotto::privacy
