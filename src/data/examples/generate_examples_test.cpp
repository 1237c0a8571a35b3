#include "data/examples/generate_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace sotto::data::generate_examples_test {

TEST(GenerateExamples, AreAFunctionOfTheirOptions) {
  const Examples few = generate_pictures({.training = 30, .test = 5}).value();
  const Examples more = generate_pictures({.training = 50, .test = 8}).value();
  EXPECT_EQ(few.count(), 35u);
  EXPECT_EQ(few.for_training, 30u);
  EXPECT_EQ(few.values.size(), 35u * 28 * 28);
  EXPECT_TRUE(std::equal(few.of(0), few.of(30), more.of(0)));    // more of them do not change those
  EXPECT_TRUE(std::equal(few.of(30), few.of(34), more.of(50)));  // the test part too
  EXPECT_NE(few.values, generate_pictures({.training = 30, .test = 5, .seed = 2}).value().values);
  EXPECT_FALSE(generate_pictures({.training = 0}).ok());
  EXPECT_FALSE(generate_pictures({.side = 7}).ok());
  EXPECT_FALSE(generate_pictures({.noise = std::nan("")}).ok());
}

// Softmax regression, one weight a point and class: the share of the test part that it gets right.
double linear_accuracy(const Examples& examples) {
  const std::size_t size = examples.size(), classes = examples.classes;
  std::vector<float> weights(classes * (size + 1), 0.0f);
  std::vector<double> scores(classes);
  const auto score = [&](std::size_t n) {
    for (std::size_t k = 0; k < classes; ++k) {
      const float* row = weights.data() + k * (size + 1);
      float sum = row[size];
      for (std::size_t j = 0; j < size; ++j) sum += row[j] * static_cast<float>(examples.of(n)[j]) / 255.0f;
      scores[k] = sum;
    }
  };
  for (int epoch = 0; epoch < 15; ++epoch) {
    for (std::size_t n = 0; n < examples.for_training; ++n) {
      score(n);
      const double top = *std::max_element(scores.begin(), scores.end());
      double total = 0.0;
      for (double& s : scores) total += s = std::exp(s - top);
      for (std::size_t k = 0; k < classes; ++k) {
        const auto step =
            static_cast<float>(0.02 * ((k == examples.labels[n] ? 1.0 : 0.0) - scores[k] / total));
        float* row = weights.data() + k * (size + 1);
        row[size] += step;
        for (std::size_t j = 0; j < size; ++j)
          row[j] += step * static_cast<float>(examples.of(n)[j]) / 255.0f;
      }
    }
  }
  std::size_t right = 0;
  for (std::size_t n = examples.for_training; n < examples.count(); ++n) {
    score(n);
    right += std::max_element(scores.begin(), scores.end()) - scores.begin() == examples.labels[n] ? 1u : 0u;
  }
  return static_cast<double>(right) / static_cast<double>(examples.count() - examples.for_training);
}

// A linear model learns digits that stand still, and far less where they move, though there is as much to
// see.
TEST(GenerateExamples, DigitsThatMoveAreHardForALinearModel) {
  const double still =
      linear_accuracy(generate_pictures({.training = 1000, .test = 300, .shift = 0.0}).value());
  const double moving = linear_accuracy(generate_pictures({.training = 1000, .test = 300}).value());
  EXPECT_GT(still, 0.9);
  EXPECT_GT(moving, 0.3);
  EXPECT_LT(moving, still - 0.1);
}

TEST(GenerateExamples, PeopleAreUneven) {
  const OwnedExamples made = generate_portraits({.people = 300}).value();
  const Examples& examples = made.examples;
  std::vector<std::size_t> pictures(300, 0);
  std::size_t smiling = 0, sharp = 0;
  for (std::size_t n = 0; n < examples.count(); ++n) {
    ++pictures[made.owners[n]];
    smiling += examples.labels[n];
    sharp += examples.marks[n];
    EXPECT_EQ(examples.of(n)[0], examples.marks[n] != 0 ? 0 : 255);
  }
  EXPECT_EQ(examples.values.size(), examples.count() * 39);
  const auto [least, most] = std::minmax_element(pictures.begin(), pictures.end());
  EXPECT_LE(*least, 4u);
  EXPECT_GE(*most, 45u);
  // The mean of 1 + 57·u² is 20; its deviation over 300 people 1.
  const auto count = static_cast<double>(examples.count());
  EXPECT_NEAR(count / 300.0, 20.0, 4.0);
  EXPECT_NEAR(static_cast<double>(smiling) / count, 0.5, 0.08);
  EXPECT_NEAR(static_cast<double>(sharp) / count, 0.925, 0.04);
  EXPECT_FALSE(generate_portraits({.people = 0}).ok());
  EXPECT_FALSE(generate_portraits({.mean_pictures = 0.5}).ok());
}

// A smile can be told from the other attributes, for people who were not seen before.
TEST(GenerateExamples, SmilesShow) {
  Examples examples = generate_portraits({.people = 200}).value().examples;
  examples.for_training = examples.count() * 3 / 4;
  EXPECT_GT(linear_accuracy(examples), 0.75);
}

}  // namespace sotto::data::generate_examples_test
