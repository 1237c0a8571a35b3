#include "model/kgflex/kgflex_work.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "model/kgflex/kgflex_central.h"
#include "model/kgflex/testing/small_world.h"

namespace sotto::model::kgflex_work_test {

// One person's rows in plain vectors, and the loss of pairs straight from eq. 6.12.
struct Plain {
  std::vector<std::vector<double>> p, g;  // one an own feature; g ends with b

  [[nodiscard]] double score(const ItemFeatures& features, const FeatureProfile& profile,
                             ItemIndex item) const {
    double score = 0.0;
    for (std::size_t n = 0; n < p.size(); ++n) {
      if (!std::ranges::binary_search(features.of(item), profile.features[n])) continue;
      double product = g[n].back();
      for (std::size_t k = 0; k < p[n].size(); ++k) product += p[n][k] * g[n][k];
      score += static_cast<double>(profile.gains[n]) * product;
    }
    return score;
  }
  [[nodiscard]] double loss(const ItemFeatures& features, const FeatureProfile& profile,
                            std::span<const Pair> pairs) const {
    double loss = 0.0;
    for (const Pair& pair : pairs)
      loss += std::log1p(
          std::exp(score(features, profile, pair.negative) - score(features, profile, pair.positive)));
    return loss;
  }
};

class WorkWorld {
 public:
  explicit WorkWorld(std::uint64_t seed, const KgflexOptions& options = {.factors = 3, .init_sd = 0.5f})
      : world(seed), model(options, world.devices()) {
    for (std::uint32_t candidate = 0; candidate < 12; ++candidate)
      if (model.devices().profiles().of({candidate}).features.size() > 2) user = {candidate};
    profile = model.devices().profiles().of(user);
    shared = model.start_shared();
    own = RowMatrix(1, model.private_width());
    model.start_private(user, own.row(0));
    const PairSampler sampler(world.histories, model.devices().consumed(), 30, 9);
    for (std::uint32_t t = 0; t < 6; ++t) pairs.push_back(sampler.draw(2, user, t));
  }
  [[nodiscard]] Plain plain() const {
    const std::size_t factors = model.options().factors, stride = shared.stride();
    Plain rows;
    for (std::size_t n = 0; n < profile.features.size(); ++n) {
      const float *p = own.row(0) + n * stride, *g = shared.row(profile.features[n].value);
      rows.p.emplace_back(p, p + factors);
      rows.g.emplace_back(g, g + factors + 1);
    }
    return rows;
  }

  SmallWorld world;
  Kgflex model;
  UserIndex user;
  FeatureProfile profile;
  RowMatrix shared, own;
  std::vector<Pair> pairs;
};

// ∂/∂x of the loss by central differences.
template <class Change>
double slope(Plain rows, const WorkWorld& w, const Change& at) {
  constexpr double h = 1e-5;
  double& x = at(rows);
  const double middle = x;
  x = middle + h;
  const double above = rows.loss(*w.world.features, w.profile, w.pairs);
  x = middle - h;
  return (above - rows.loss(*w.world.features, w.profile, w.pairs)) / (2.0 * h);
}

RC_GTEST_PROP(KgflexWork, StepsAreTheGradientsOfEquation614, ()) {
  WorkWorld w(*rc::gen::inRange<std::uint64_t>(0, 300));
  RC_PRE(w.profile.features.size() > 2);
  const Plain before = w.plain();
  KgflexWork work(w.model.options(), *w.world.features);
  work.begin(w.profile, w.shared, w.own.row(0));
  bool said = false;
  for (const Pair& pair : w.pairs) said |= work.gather(pair, true, true);
  RC_PRE(said);
  work.move(nullptr);
  const Plain after = w.plain();
  const double rate = static_cast<double>(w.model.options().learning_rate);
  double silent = 0.0;  // pairs that say nothing have a constant loss
  for (const Pair& pair : w.pairs) {
    const auto own = [&](ItemIndex item) {
      return std::ranges::any_of(w.world.features->of(item), [&](FeatureIndex f) {
        return std::ranges::binary_search(w.profile.features, f);
      });
    };
    if (!own(pair.positive) && !own(pair.negative)) silent += std::log(2.0);
  }
  RC_ASSERT(std::abs(work.loss() + silent - before.loss(*w.world.features, w.profile, w.pairs)) < 1e-4);
  for (std::size_t n = 0; n < before.p.size(); ++n) {
    const float* sent = work.to_send(n);
    for (std::size_t k = 0; k < before.p[n].size(); ++k) {
      const double of_p = slope(before, w, [&](Plain& rows) -> double& { return rows.p[n][k]; });
      RC_ASSERT(std::abs((after.p[n][k] - before.p[n][k]) / rate + of_p) < 1e-3);
    }
    for (std::size_t k = 0; k < before.g[n].size(); ++k) {
      const double of_g = slope(before, w, [&](Plain& rows) -> double& { return rows.g[n][k]; });
      RC_ASSERT(std::abs((sent != nullptr ? static_cast<double>(sent[k]) : 0.0) + of_g) < 1e-4);
    }
  }
}

TEST(KgflexWork, PairByPairIsOneStepAfterTheOther) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    WorkWorld together(seed), alone(seed);
    KgflexWork one(together.model.options(), *together.world.features);
    KgflexWork other(alone.model.options(), *alone.world.features);
    one.begin(together.profile, together.shared, together.own.row(0));
    for (const Pair& pair : together.pairs) {
      (void)one.gather(pair, true, true);
      one.move(nullptr);
    }
    // A visit of its own for each pair, from the rows that the last one left.
    std::vector<std::vector<float>> sums(alone.profile.features.size(), std::vector<float>(4, 0.0f));
    for (const Pair& pair : alone.pairs) {
      other.begin(alone.profile, alone.shared, alone.own.row(0));
      (void)other.gather(pair, true, true);
      other.move(nullptr);
      for (std::size_t n = 0; n < sums.size(); ++n)
        if (const float* sent = other.to_send(n))
          for (std::size_t k = 0; k < 4; ++k) sums[n][k] += sent[k];
    }
    for (std::size_t n = 0; n < sums.size(); ++n)
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_FLOAT_EQ(one.to_send(n) != nullptr ? one.to_send(n)[k] : 0.0f, sums[n][k]);
    EXPECT_TRUE(std::ranges::equal(together.own.values(0), alone.own.values(0)));
  }
}

TEST(KgflexWork, WhatMayNotLeaveMovesTheOwnRowsAlone) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    WorkWorld open(seed), shut(seed), half(seed);
    const auto play = [](WorkWorld& w, bool positive, bool negative) {
      KgflexWork work(w.model.options(), *w.world.features);
      work.begin(w.profile, w.shared, w.own.row(0));
      for (const Pair& pair : w.pairs) (void)work.gather(pair, positive, negative);
      work.move(nullptr);
      return work;
    };
    const KgflexWork all = play(open, true, true), none = play(shut, false, false);
    const KgflexWork negatives = play(half, false, true);
    EXPECT_TRUE(std::ranges::equal(open.own.values(0), shut.own.values(0)));
    EXPECT_TRUE(std::ranges::equal(open.own.values(0), half.own.values(0)));
    for (std::size_t n = 0; n < open.profile.features.size(); ++n) {
      EXPECT_EQ(none.to_send(n), nullptr);
      // Without what was consumed a feature's bias can only fall.
      if (negatives.to_send(n) != nullptr) {
        EXPECT_LE(negatives.to_send(n)[3], 0.0f);
      }
    }
  }
}

TEST(KgflexWork, RegularisationPullsWhatWasTouchedTowardsNothing) {
  KgflexOptions options{.factors = 3, .personal_reg = 0.5f, .shared_reg = 0.25f, .init_sd = 0.5f};
  WorkWorld plain(3), held(3, options);
  const Pair pair = plain.pairs[0];
  const auto play = [&](WorkWorld& w) {
    KgflexWork work(w.model.options(), *w.world.features);
    work.begin(w.profile, w.shared, w.own.row(0));
    (void)work.gather(pair, true, true);
    work.move(nullptr);
    return work;
  };
  const Plain before = plain.plain();
  const KgflexWork free = play(plain), tied = play(held);
  const Plain moved = plain.plain(), pulled = held.plain();
  const auto times = [&](std::size_t n) {
    double count = 0.0;
    for (const ItemIndex item : {pair.positive, pair.negative})
      count +=
          std::ranges::binary_search(plain.world.features->of(item), plain.profile.features[n]) ? 1.0 : 0.0;
    return count;
  };
  for (std::size_t n = 0; n < before.p.size(); ++n) {
    if (free.to_send(n) == nullptr) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(pulled.p[n][k], moved.p[n][k] - 0.1 * 0.5 * times(n) * before.p[n][k], 1e-6);
      EXPECT_NEAR(tied.to_send(n)[k], free.to_send(n)[k] - 0.25 * times(n) * before.g[n][k], 1e-6);
    }
    EXPECT_FLOAT_EQ(tied.to_send(n)[3], free.to_send(n)[3]);  // a bias is not pulled
  }
}

TEST(KgflexCentral, LearnsAndIsTheSameEachTime) {
  const SmallWorld world(8, {.users = 60, .items = 40, .features = 20, .history = 6});
  const Kgflex model({.factors = 4, .learning_rate = 0.2f}, world.devices());
  KgflexCentral once(model), again(model);
  SerialExecutor serial;
  double first = 0.0, last = 0.0;
  for (std::uint32_t epoch = 0; epoch < 40; ++epoch) {
    const auto done = once.run_epoch(epoch, serial).value();
    const double mean = static_cast<double>(done.loss_units) / 1048576.0 / static_cast<double>(done.steps);
    (epoch == 0 ? first : last) = mean;
    (void)again.run_epoch(epoch, serial).value();
  }
  EXPECT_LT(last, 0.8 * first);
  for (std::size_t row = 0; row < once.items().rows(); ++row)
    EXPECT_TRUE(std::ranges::equal(once.items().values(row), again.items().values(row)));
}

TEST(KgflexOptions, RefuseWhatCannotBe) {
  EXPECT_TRUE(check(KgflexOptions{}).ok());
  EXPECT_FALSE(check(KgflexOptions{.factors = 0}).ok());
  EXPECT_FALSE(check(KgflexOptions{.learning_rate = 0.0f}).ok());
  EXPECT_FALSE(check(KgflexOptions{.personal_reg = -1.0f}).ok());
  EXPECT_FALSE(check(KgflexOptions{.init_sd = INFINITY}).ok());
  EXPECT_FALSE(check(KgflexOptions{.pairs = 0}).ok());
}

}  // namespace sotto::model::kgflex_work_test
