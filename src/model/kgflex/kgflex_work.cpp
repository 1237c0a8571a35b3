#include "model/kgflex/kgflex_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/math.h"

namespace sotto::model {

namespace {

constexpr float score_limit = 1e30f;

}  // namespace

Status check(const KgflexOptions& options) {
  if (options.factors == 0 || options.factors > 4096)
    return fail(Code::usage, fmt::format("factors is {}: give a number from 1 to 4096", options.factors));
  const auto lawful = [](float value, bool zero) {
    return std::isfinite(value) && (zero ? value >= 0.0f : value > 0.0f);
  };
  if (!lawful(options.learning_rate, false))
    return fail(Code::usage,
                fmt::format("lr is {}, but it must be a finite number above 0", options.learning_rate));
  if (!lawful(options.personal_reg, true) || !lawful(options.shared_reg, true))
    return fail(Code::usage, "a regularisation must be a finite number from 0 up");
  if (!lawful(options.init_sd, true))
    return fail(Code::usage,
                fmt::format("init-sd is {}, but it must be a finite number from 0 up", options.init_sd));
  if (options.pairs && *options.pairs == 0)
    return fail(Code::usage, "triples is 0: a visit needs at least one pair");
  return check(options.server);
}

KgflexWork::KgflexWork(const KgflexOptions& options, const ItemFeatures& features)
    : options_(options),
      features_(features),
      stride_(RowMatrix::stride_for(std::size_t{options.factors} + 1)),
      place_(features.features(), 0) {}

void KgflexWork::begin(const FeatureProfile& profile, const RowMatrix& shared, float* own) {
  for (const FeatureIndex feature : profile_.features) place_[feature.value] = 0;
  profile_ = profile;
  shared_ = &shared;
  own_ = own;
  const std::size_t count = profile.features.size();
  if (sent_.rows() < count) sent_ = RowMatrix(count, std::size_t{options_.factors} + 1);
  parts_.resize(count);
  said_.assign(count, {});
  sends_.assign(count, 0);
  touched_.clear();
  loss_ = 0.0;
  finite_ = true;
  for (std::size_t n = 0; n < count; ++n) {
    place_[profile.features[n].value] = static_cast<std::uint32_t>(n) + 1;
    set_part(n);
  }
}

void KgflexWork::set_part(std::size_t n) {
  parts_[n] =
      profile_.gains[n] * dot_rows(own_ + n * stride_, shared_->row(profile_.features[n].value), stride_);
}

float KgflexWork::score(ItemIndex item) const {
  float score = 0.0f;
  for (const FeatureIndex feature : features_.of(item))
    if (const std::uint32_t place = place_[feature.value]; place != 0) score += parts_[place - 1];
  return score;
}

std::size_t KgflexWork::note(ItemIndex item, float amount, bool send) {
  std::size_t common = 0;
  for (const FeatureIndex feature : features_.of(item)) {
    const std::uint32_t place = place_[feature.value];
    if (place == 0) continue;
    ++common;
    Said& said = said_[place - 1];
    if (said.times++ == 0) touched_.push_back(place - 1);
    said.own += amount;
    if (!send) continue;
    said.sent += amount;
    ++said.times_sent;
  }
  return common;
}

bool KgflexWork::gather(const Pair& pair, bool send_positive, bool send_negative) {
  const float difference = score(pair.positive) - score(pair.negative);
  if (!(difference > -score_limit && difference < score_limit)) {
    finite_ = false;
    return false;
  }
  const float slope = sigmoid_f32(-difference);
  const std::size_t common =
      note(pair.positive, slope, send_positive) + note(pair.negative, -slope, send_negative);
  if (common == 0) return false;
  // −ln σ(x) = ln(1 + e^−x), and for a very negative x it is −x.
  loss_ += static_cast<double>(difference < -60.0f ? -difference : log_f32(1.0f + exp_f32(-difference)));
  return true;
}

void KgflexWork::move(RowMatrix* shared) {
  const std::size_t bias = options_.factors;
  for (const std::uint32_t n : touched_) {
    const Said said = said_[n];
    said_[n] = {};
    const float gain = profile_.gains[n];
    float* p = own_ + n * stride_;
    const std::uint32_t feature = profile_.features[n].value;
    const float* g = shared_->row(feature);
    if (said.times_sent > 0) {
      float* out = sent_.row(n);
      if (sends_[n] == 0) std::fill_n(out, stride_, 0.0f);
      sends_[n] = 1;
      const float weight = said.sent * gain;
      const float decay = options_.shared_reg * static_cast<float>(said.times_sent);
      for (std::size_t k = 0; k < bias; ++k) out[k] += weight * p[k] - decay * g[k];
      out[bias] += weight;
    }
    const float weight = said.own * gain;
    const float decay = options_.personal_reg * static_cast<float>(said.times);
    float* moved = shared == nullptr ? nullptr : shared->row(feature);
    for (std::size_t k = 0; k < bias; ++k) {
      const float before = p[k];
      p[k] += options_.learning_rate * (weight * g[k] - decay * before);
      if (moved == nullptr) continue;
      const float shared_decay = options_.shared_reg * static_cast<float>(said.times);
      moved[k] += options_.learning_rate * (weight * before - shared_decay * moved[k]);
    }
    if (moved != nullptr) moved[bias] += options_.learning_rate * weight;
    set_part(n);
  }
  touched_.clear();
}

}  // namespace sotto::model
