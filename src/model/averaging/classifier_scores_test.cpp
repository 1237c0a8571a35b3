#include "model/averaging/classifier_scores.h"

#include <gtest/gtest.h>

#include <numeric>

namespace sotto::model::classifier_scores_test {
namespace {

Examples form_of(std::uint32_t height, std::uint32_t width, std::uint32_t classes) {
  Examples form;
  form.height = height;
  form.width = width;
  form.classes = classes;
  return form;
}

// 1 × 2 bytes, two neurons of which one is shut, two classes.
TEST(ClassifierScores, OfDenseLayersByHand) {
  const ClassifierOptions options{.kind = ClassifierKind::dense, .hidden = {2}};
  const std::vector<float> flat{1, 2, -3, -4, 0.5f, 0, /* then */ 2, 7, -1, 9, 0.25f, -0.25f};
  const std::vector<std::uint8_t> example{255, 51};  // 1 and 0.2
  // The first neuron 1 + 0.4 + 0.5 = 1.9, the second below 0.
  const std::vector<float> scores = classifier_scores(options, form_of(1, 2, 2), flat, example);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_NEAR(scores[0], 2 * 1.9 + 0.25, 1e-6);
  EXPECT_NEAR(scores[1], -1.9 - 0.25, 1e-6);
}

// A filter of 3 × 3 that looks at the left and lower neighbours, on 2 × 3 bytes: one place is left.
TEST(ClassifierScores, OfFiltersByHand) {
  ClassifierOptions options{.filter = 3, .channels = {1}, .hidden = {}};
  const std::vector<float> flat{0, 0, 0, 10, 0, 0, 0, 1, 0, /* bias */ 0.5f, /* classes */ 1, -1, 0, 0};
  const std::vector<std::uint8_t> example{51, 102, 153, 204, 255, 0};  // .2 .4 .6 / .8 1 0
  // Of the four places: .8 + .5, 2 + 1 + .5, .5, 8 + .5; the largest is the last.
  const std::vector<float> scores = classifier_scores(options, form_of(2, 3, 2), flat, example);
  EXPECT_NEAR(scores[0], 8.5, 1e-6);
  EXPECT_NEAR(scores[1], -8.5, 1e-6);
  // Where no sum is above 0 the filters' neurons are shut, unless nothing rectifies them.
  std::vector<float> low = flat;
  low[9] = -20;
  EXPECT_EQ(classifier_scores(options, form_of(2, 3, 2), low, example)[0], 0.0f);
  options.conv_relu = false;
  EXPECT_NEAR(classifier_scores(options, form_of(2, 3, 2), low, example)[0], 8 - 20, 1e-5);
}

TEST(ClassifierScores, SharesAddUpToOne) {
  std::vector<float> scores{1000, 1000, -1000};
  make_shares(scores);
  EXPECT_NEAR(scores[0], 0.5f, 1e-6);
  EXPECT_NEAR(std::accumulate(scores.begin(), scores.end(), 0.0f), 1.0f, 1e-6);
  EXPECT_LT(scores[2], 1e-30f);
}

}  // namespace
}  // namespace sotto::model::classifier_scores_test
