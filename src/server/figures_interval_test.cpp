#include "server/figures_interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace sotto::server {
namespace {

TEST(FiguresInterval, OfAShareIsWilsons) {
  const FigureInterval half = figure_interval(0.5, 1.0, 100, 0.0), none = figure_interval(0.0, 1.0, 10, 0.0);
  EXPECT_NEAR(half.low, 0.40383, 1e-5);
  EXPECT_NEAR(half.high, 0.59617, 1e-5);
  EXPECT_EQ(none.low, 0.0);
  EXPECT_NEAR(none.high, 0.27754, 1e-5);
  EXPECT_GT(figure_interval(0.5, 1.0, 100, 10.0).high, 0.75) << "noise of a tenth";
}

TEST(FiguresInterval, KnowsWhatAListCanBe) {
  const EvaluationTerms by_number{.holdout = 3, .cutoff = 10}, by_share{.share = 0.2f, .cutoff = 10};
  EXPECT_DOUBLE_EQ(most_of("P", by_number), 0.3);
  EXPECT_EQ(most_of("P", by_share), 1.0);
  EXPECT_EQ(most_of("nDCG", by_number), 1.0);
  EXPECT_EQ(most_of("RMSE", by_number), 0.0);
}

// People whose hits come together, as they do: a few have many, most have none.
TEST(FiguresInterval, HoldsForPeopleWhoDiffer) {
  constexpr std::uint32_t groups = 2'000, people = 60;
  constexpr double noise = 2.0;
  Stream draws(3, Purpose::generate_world, 9);
  const auto person = [&] {
    return draws.chance(0.3) ? 0.1 * (1 + draws.below(3)) : 0.0;
  };  // 0.06 in the mean
  const auto gaussian = [&] {
    double sum = -6.0;
    for (int n = 0; n < 12; ++n) sum += draws.uniform();
    return sum;
  };
  for (const bool noisy : {false, true}) {
    std::uint32_t held = 0;
    for (std::uint32_t group = 0; group < groups; ++group) {
      double sum = noisy ? noise * gaussian() : 0.0;
      for (std::uint32_t n = 0; n < people; ++n) sum += person();
      const FigureInterval of =
          figure_interval(std::clamp(sum / people, 0.0, 1.0), 0.3, people, noisy ? noise : 0.0);
      held += of.low <= 0.06 && 0.06 <= of.high ? 1 : 0;
      EXPECT_LT(of.high - of.low, noisy ? 0.25 : 0.12);
    }
    EXPECT_GE(held, groups * 95 / 100);
  }
}

}  // namespace
}  // namespace sotto::server
