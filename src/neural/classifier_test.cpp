#include "neural/classifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "base/rng.h"

namespace sotto::neural::classifier_test {
namespace {

// Noise, each class a little brighter at places of its own.
Examples pictures(std::uint32_t height, std::uint32_t width, std::uint32_t classes, std::size_t count) {
  Examples examples{height, width, classes, {}, {}, {}, count};
  Stream stream(5, Purpose::generate_world);
  for (std::size_t n = 0; n < count; ++n) {
    const auto label = static_cast<std::uint8_t>(stream.below(classes));
    examples.labels.push_back(label);
    for (std::size_t k = 0; k < examples.size(); ++k)
      examples.values.push_back(
          static_cast<std::uint8_t>(stream.below(150) + (k % classes == label ? 100u : 0u)));
  }
  return examples;
}

// `devices` hands of as many examples each, all for training and, again, for the test.
Dealt dealt(const Examples& examples, std::size_t devices) {
  std::vector<Dealt::Hand> hands(devices);
  for (std::uint32_t n = 0; n < examples.count(); ++n) hands[n % devices].train.push_back(n);
  for (Dealt::Hand& hand : hands) hand.test = hand.train;
  return Dealt(std::move(hands));
}

ClassifierOptions tiny_cnn(bool conv_relu) {
  return {.filter = 3, .channels = {2, 3}, .conv_relu = conv_relu, .hidden = {4}};
}

ClassifierOptions dense(std::vector<std::uint32_t> hidden) {
  return {.kind = ClassifierKind::dense, .hidden = std::move(hidden)};
}

std::vector<float> start_of(const LocalTask& task, std::uint64_t seed = 3) {
  std::vector<float> model(task.parameters());
  task.start(seed, model);
  return model;
}

std::vector<float> trained(const LocalTask& task, const LocalTraining& how, std::vector<float> model,
                           std::uint32_t device = 0, std::uint32_t round = 0, std::uint64_t seed = 3) {
  EXPECT_TRUE(task.train(seed, round, UserIndex{device}, how, model, {}).ok());
  return model;
}

// The network by its definition, in double and one number at a time.
class Slow {
 public:
  Slow(const ClassifierOptions& options, const Examples& examples) : options_(options), examples_(examples) {}

  [[nodiscard]] double loss(const std::vector<double>& model) const {
    double sum = 0.0;
    for (std::size_t n = 0; n < examples_.count(); ++n) {
      const std::vector<double> scores = scores_of(model, n);
      double total = 0.0;
      for (const double score : scores) total += std::exp(score);
      sum += std::log(total) - scores[examples_.labels[n]];
    }
    return sum / static_cast<double>(examples_.count());
  }

 private:
  using Planes = std::vector<std::vector<std::vector<double>>>;

  [[nodiscard]] std::vector<double> scores_of(const std::vector<double>& model, std::size_t example) const {
    const double* place = model.data();
    std::vector<double> x;
    for (std::size_t k = 0; k < examples_.size(); ++k) x.push_back(examples_.of(example)[k] / 255.0);
    if (options_.kind == ClassifierKind::cnn) {
      Planes planes{{}};
      for (std::size_t row = 0; row < examples_.height; ++row)
        planes[0].emplace_back(x.begin() + static_cast<std::ptrdiff_t>(row * examples_.width),
                               x.begin() + static_cast<std::ptrdiff_t>((row + 1) * examples_.width));
      for (const std::uint32_t filters : options_.channels) planes = pooled(filtered(planes, filters, place));
      x.clear();
      for (const auto& plane : planes)
        for (const auto& row : plane) x.insert(x.end(), row.begin(), row.end());
    }
    std::vector<std::uint32_t> sizes = options_.hidden;
    sizes.push_back(examples_.classes);
    for (std::size_t n = 0; n < sizes.size(); ++n) {
      std::vector<double> y(sizes[n]);
      for (double& value : y)
        for (const double number : x) value += *place++ * number;
      for (double& value : y) {
        value += *place++;
        if (n + 1 < sizes.size()) value = std::max(0.0, value);
      }
      x = y;
    }
    return x;
  }

  [[nodiscard]] Planes filtered(const Planes& in, std::size_t filters, const double*& place) const {
    const auto height = static_cast<int>(in[0].size()), width = static_cast<int>(in[0][0].size());
    const auto filter = static_cast<int>(options_.filter);
    Planes out(filters, {in[0].size(), std::vector<double>(in[0][0].size(), 0.0)});
    for (auto& plane : out)
      for (const auto& from : in)
        for (int a = 0; a < filter; ++a)
          for (int b = 0; b < filter; ++b, ++place)
            for (int row = 0; row < height; ++row)
              for (int column = 0; column < width; ++column) {
                const int y = row + a - filter / 2, x = column + b - filter / 2;
                if (y >= 0 && y < height && x >= 0 && x < width)
                  plane[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] +=
                      *place * from[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
              }
    for (auto& plane : out) {
      for (auto& row : plane)
        for (double& value : row) value = options_.conv_relu ? std::max(0.0, value + *place) : value + *place;
      ++place;
    }
    return out;
  }

  [[nodiscard]] static Planes pooled(const Planes& in) {
    Planes out;
    for (const auto& plane : in) {
      out.emplace_back();
      for (std::size_t row = 0; row + 1 < plane.size(); row += 2) {
        out.back().emplace_back();
        for (std::size_t column = 0; column + 1 < plane[0].size(); column += 2)
          out.back().back().push_back(std::max({plane[row][column], plane[row][column + 1],
                                                plane[row + 1][column], plane[row + 1][column + 1]}));
      }
    }
    return out;
  }

  const ClassifierOptions& options_;
  const Examples& examples_;
};

void expect_a_step_along_the_gradient(const ClassifierOptions& options, const Examples& examples) {
  const Dealt hands = dealt(examples, 1);
  const auto task = start_classifier(examples, hands, options).value();
  const std::vector<float> before = start_of(*task);
  std::vector<float> after = before;
  const auto report = task->train(3, 0, UserIndex{0}, {.epochs = 1, .rate = 0.5f}, after, {}).value();
  std::vector<double> model(before.begin(), before.end());
  const Slow slow(options, examples);
  EXPECT_EQ(report.examples, examples.count());
  EXPECT_NEAR(static_cast<double>(report.loss_units) * 0x1.0p-20,
              slow.loss(model) * static_cast<double>(examples.count()), 1e-3);
  double moved = 0.0;
  for (std::size_t k = 0; k < model.size(); ++k) {
    const double here = model[k], step = 1e-6;
    model[k] = here + step;
    const double above = slow.loss(model);
    model[k] = here - step;
    const double below = slow.loss(model);
    model[k] = here;
    ASSERT_NEAR(after[k], here - 0.5 * (above - below) / (2.0 * step), 2e-6) << "number " << k;
    moved = std::max(moved, std::abs(static_cast<double>(after[k]) - here));
  }
  EXPECT_GT(moved, 0.01);
}

TEST(Classifier, AStepGoesAlongTheGradientOfEveryLayer) {
  const Examples square = pictures(9, 8, 3, 120);  // more than a piece; an odd side loses its last row
  expect_a_step_along_the_gradient(tiny_cnn(true), square);
  expect_a_step_along_the_gradient(tiny_cnn(false), square);
  const Examples rows = pictures(1, 13, 4, 70);
  expect_a_step_along_the_gradient(dense({5, 4}), rows);
  expect_a_step_along_the_gradient(dense({}), rows);
}

TEST(Classifier, TheDigitsNetworkHasTheThesisNumberOfParameters) {
  const Examples form{28, 28, 10, {}, {}, {}, 0};
  const Dealt nobody({});
  const auto task = start_classifier(form, nobody, {}).value();
  EXPECT_EQ(task->parameters(), 1'663'370u);
  EXPECT_EQ(task->layer_ends(), (std::vector<std::size_t>{832, 52'096, 1'658'240, 1'663'370}));
  EXPECT_EQ(task->private_width(), 0u);
  EXPECT_EQ(start_classifier(form, nobody, dense({200, 200})).value()->parameters(),
            199'210u);  // McMahan's 2NN
}

TEST(Classifier, StartsWithTheSpreadOfGlorot) {
  const Examples form{28, 28, 10, {}, {}, {}, 0};
  const Dealt nobody({});
  const auto task = start_classifier(form, nobody, {}).value();
  const std::vector<float> model = start_of(*task);
  const auto spread = [&](std::size_t begin, std::size_t end) {
    double sum = 0.0;
    for (std::size_t k = begin; k < end; ++k) sum += static_cast<double>(model[k]) * model[k];
    return sum / static_cast<double>(end - begin);
  };
  EXPECT_NEAR(spread(832, 832 + 51'200) * (32 + 64) * 25 / 2.0, 1.0, 0.05);  // 8 standard errors
  EXPECT_NEAR(spread(52'096, 52'096 + 512 * 3136) * (512 + 3136) / 2.0, 1.0, 0.01);
  for (std::size_t k = 1'663'360; k < model.size(); ++k) EXPECT_EQ(model[k], 0.0f);
  EXPECT_NE(model, start_of(*task, 4));
}

TEST(Classifier, TheProximalTermPullsBackAsMuSays) {
  const Examples examples = pictures(8, 8, 3, 40);
  const Dealt hands = dealt(examples, 1);
  const auto task = start_classifier(examples, hands, tiny_cnn(true)).value();
  const std::vector<float> received = start_of(*task);
  const float rate = 0.3f, mu = 0.8f;
  const std::vector<float> one = trained(*task, {.epochs = 1, .rate = rate}, received);
  const std::vector<float> two = trained(*task, {.epochs = 1, .rate = rate}, one);
  // Nothing pulls at the start.
  EXPECT_EQ(trained(*task, {.epochs = 1, .rate = rate, .proximal = mu}, received), one);
  const std::vector<float> pulled = trained(*task, {.epochs = 2, .rate = rate, .proximal = mu}, received);
  for (std::size_t k = 0; k < received.size(); ++k)
    ASSERT_NEAR(pulled[k], two[k] - rate * mu * (one[k] - received[k]), 1e-6) << k;
}

TEST(Classifier, BatchesVisitAllInAnOrderThatRoundAndDeviceDecide) {
  const Examples examples = pictures(1, 12, 3, 50);
  const Dealt hands = dealt(examples, 2);
  const auto task = start_classifier(examples, hands, dense({})).value();
  const std::vector<float> model = start_of(*task);
  const LocalTraining full{.epochs = 2}, small{.epochs = 2, .batch = 10};
  EXPECT_EQ(trained(*task, full, model), trained(*task, {.epochs = 2, .batch = 25}, model));
  EXPECT_EQ(trained(*task, full, model), trained(*task, {.epochs = 2, .batch = 99}, model));
  EXPECT_EQ(trained(*task, small, model), trained(*task, small, model));
  EXPECT_NE(trained(*task, small, model), trained(*task, full, model));
  EXPECT_NE(trained(*task, small, model), trained(*task, small, model, 0, 1));
  EXPECT_NE(trained(*task, small, model), trained(*task, small, model, 0, 0, 4));
  std::vector<float> after = model;
  EXPECT_EQ(task->train(3, 0, UserIndex{1}, {.epochs = 2, .batch = 10}, after, {}).value().examples, 50u);
}

TEST(Classifier, ThreadsDoNotChangeAByte) {
  const Examples examples = pictures(28, 28, 10, 120);
  const Dealt hands = dealt(examples, 4);
  const auto task = start_classifier(examples, hands, {.hidden = {32}}).value();  // filters of full size
  const std::vector<float> model = start_of(*task);
  const LocalTraining how{.epochs = 2, .batch = 20};
  std::vector<std::vector<float>> alone(4), together(4);
  for (std::uint32_t device = 0; device < 4; ++device) alone[device] = trained(*task, how, model, device);
  std::vector<std::thread> threads;
  for (std::uint32_t device = 0; device < 4; ++device)
    threads.emplace_back([&, device] { together[device] = trained(*task, how, model, device); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t device = 0; device < 4; ++device)
    EXPECT_EQ(std::memcmp(alone[device].data(), together[device].data(), 4 * model.size()), 0) << device;
}

TEST(Classifier, LearnsAndSaysWhereItIsRight) {
  const Examples examples = pictures(10, 10, 3, 90);
  std::vector<Dealt::Hand> hands(1);
  for (std::uint32_t n = 0; n < 90; ++n) (n < 60 ? hands[0].train : hands[0].validation).push_back(n);
  const Dealt dealt_once(std::move(hands));
  for (const ClassifierOptions& options : {tiny_cnn(true), dense({8})}) {
    const auto task = start_classifier(examples, dealt_once, options).value();
    std::vector<float> model = start_of(*task);
    model = trained(*task, {.epochs = 60, .batch = 10, .rate = 0.2f}, model);
    std::vector<std::uint8_t> right(30, 9);
    const LocalScore score = task->score(UserIndex{0}, LocalPart::validation, model, right).value();
    EXPECT_EQ(score.examples, 30u);
    EXPECT_GE(score.right, 20u);  // 10 by chance
    EXPECT_EQ(static_cast<std::uint64_t>(std::count(right.begin(), right.end(), 1)), score.right);
    EXPECT_EQ(task->score(UserIndex{0}, LocalPart::test, model, {}).value().examples, 0u);
  }
}

TEST(Classifier, AmongEqualScoresTheLowestClassIsTheAnswer) {
  const Examples examples = pictures(1, 12, 3, 620);  // more than are scored at once
  const Dealt hands = dealt(examples, 1);
  const auto task = start_classifier(examples, hands, dense({})).value();
  const std::vector<float> nothing(task->parameters());
  std::vector<std::uint8_t> right(620);
  const LocalScore score = task->score(UserIndex{0}, LocalPart::test, nothing, right).value();
  for (std::size_t n = 0; n < 620; ++n) ASSERT_EQ(right[n], examples.labels[n] == 0 ? 1 : 0);
  EXPECT_EQ(score.right, static_cast<std::uint64_t>(std::ranges::count(examples.labels, std::uint8_t{0})));
}

TEST(Classifier, NumbersThatLeaveTheRangeAreReported) {
  const Examples examples = pictures(8, 8, 3, 20);
  const Dealt hands = dealt(examples, 1);
  const auto task = start_classifier(examples, hands, tiny_cnn(true)).value();
  std::vector<float> model = start_of(*task);
  EXPECT_TRUE(task->train(3, 0, UserIndex{0}, {.epochs = 3}, model, {}).value().finite);
  EXPECT_FALSE(task->train(3, 0, UserIndex{0}, {.epochs = 3, .rate = 1e30f}, model, {}).value().finite);
}

TEST(Classifier, HandsThatDoNotFitAreRefused) {
  Examples examples = pictures(8, 8, 3, 6);
  const Dealt beyond({{{0, 6}, {}, {}}}), fine({{{0, 5}, {}, {}}, {}});
  EXPECT_EQ(start_classifier(examples, beyond, tiny_cnn(true)).error().code, Code::bad_input);
  const auto task = start_classifier(examples, fine, tiny_cnn(true)).value();
  EXPECT_EQ(task->devices(), 2u);
  EXPECT_TRUE(task->takes_part(UserIndex{0}));
  EXPECT_FALSE(task->takes_part(UserIndex{1}));
  examples.labels[2] = 3;
  EXPECT_EQ(start_classifier(examples, fine, tiny_cnn(true)).error().code, Code::bad_input);
}

// Without a card: the sentence. With one: the same training, up to rounding.
TEST(Classifier, TheAcceleratorTrainsTheSameOrSaysWhyNot) {
  const Examples examples = pictures(8, 8, 3, 40);
  const Dealt hands = dealt(examples, 1);
  ClassifierOptions options = tiny_cnn(true);
  options.accelerator = Accelerator::cuda;
  const auto card = start_classifier(examples, hands, options);
  if (!card.ok()) {
    EXPECT_EQ(card.error().code, Code::not_found);
    EXPECT_NE(card.error().message.find("take cpu"), std::string::npos);
    return;
  }
  const auto task = start_classifier(examples, hands, tiny_cnn(true)).value();
  const std::vector<float> model = start_of(*task);
  const LocalTraining how{.epochs = 3, .batch = 15, .proximal = 0.1f};
  const auto here = trained(*task, how, model), there = trained(*card.value(), how, model);
  EXPECT_EQ(there, trained(*card.value(), how, model));
  for (std::size_t k = 0; k < here.size(); ++k) ASSERT_NEAR(here[k], there[k], 1e-5) << k;
}

}  // namespace
}  // namespace sotto::neural::classifier_test
