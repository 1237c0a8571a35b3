#include "privacy/audit/blend.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "privacy/audit/leak_figures.h"

namespace sotto::privacy::blend_test {

struct World {
  std::vector<std::vector<ItemIndex>> histories;
  std::vector<BlendCase> cases;
};

// Chances of consuming are a logistic function with weights 1 (prior), `strength` (evidence) and −2.
World world(double strength, std::size_t people, std::uint64_t seed) {
  constexpr std::uint32_t catalogue = 400;
  Stream draws(seed, Purpose::generate_world);
  World made;
  std::vector<float> prior(catalogue);
  for (float& value : prior) value = static_cast<float>(draws.normal());
  for (std::size_t n = 0; n < people; ++n) {
    std::vector<float> evidence(catalogue);
    std::vector<ItemIndex> history;
    for (std::uint32_t item = 0; item < catalogue; ++item) {
      evidence[item] = static_cast<float>(draws.normal());
      const double x = double{prior[item]} + strength * double{evidence[item]} - 2.0;
      if (draws.chance(1.0 / (1.0 + std::exp(-x)))) history.push_back({item});
    }
    made.histories.push_back(std::move(history));
    made.cases.push_back({{prior, std::move(evidence)}, {}});
  }
  for (std::size_t n = 0; n < people; ++n) made.cases[n].history = made.histories[n];
  return made;
}

TEST(Blend, FindsTheWeightsThatMadeTheData) {
  const World known = world(1.5, 60, 3);
  const Blend blend = Blend::learn(known.cases);
  ASSERT_TRUE(blend.uses_evidence());
  EXPECT_NEAR(blend.weights()[0], 1.0, 0.1);
  EXPECT_NEAR(blend.weights()[1], 1.5, 0.1);
  EXPECT_NEAR(blend.weights()[2], -2.0, 0.1);
  const BlendCase& somebody = known.cases.front();
  EXPECT_GT(judge_ranking(blend.score(somebody.columns), somebody.history).auc,
            judge_ranking(somebody.columns[0], somebody.history).auc);
}

TEST(Blend, DropsEvidenceThatSaysNothing) {
  int used = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const World known = world(0.0, 20, seed);
    const Blend blend = Blend::learn(known.cases);
    used += blend.uses_evidence() ? 1 : 0;
    if (!blend.uses_evidence()) {
      EXPECT_EQ(blend.score(known.cases[0].columns), known.cases[0].columns[0]);
    }
  }
  // One in forty by the two standard errors, some more as the weights were fitted to the same people.
  EXPECT_LE(used, 8);
}

TEST(Blend, StandardisedEvidenceHasMeanZeroAndDeviationOne) {
  const std::vector<float> made = standardised({1, 2, 3, 4});
  EXPECT_FLOAT_EQ(made[0], -1.3416408f);
  EXPECT_FLOAT_EQ(made[3], 1.3416408f);
  EXPECT_EQ(standardised({2, 2}), (std::vector<float>{0, 0}));
}

}  // namespace sotto::privacy::blend_test
