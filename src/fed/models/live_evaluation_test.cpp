#include "fed/models/live_evaluation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fed/models/testing/small_classifier.h"
#include "fed/models/testing/usual_spec.h"

namespace sotto::fed::live_evaluation_test {
namespace {

constexpr std::uint32_t items = 40;
constexpr double one = 0x1p16;

Task evaluated(std::uint32_t holdout, std::uint32_t cutoff, bool coverage = true) {
  v1::TaskSpec spec = usual_spec(fpl_task, items);
  spec.mutable_evaluation()->set_holdout(holdout);
  spec.mutable_evaluation()->set_cutoff(cutoff);
  spec.mutable_evaluation()->set_coverage(coverage);
  return evaluation_task(*read_task(spec));
}

std::vector<ItemIndex> some_items(std::size_t least, std::size_t most) {
  std::vector<std::uint32_t> all(items);
  for (std::uint32_t n = 0; n < items; ++n) all[n] = n;
  const auto count = *rc::gen::inRange(least, most + 1);
  std::vector<ItemIndex> some;
  for (std::size_t n = 0; n < count; ++n) {
    const auto at = *rc::gen::inRange<std::size_t>(0, all.size());
    some.push_back({all[at]});
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return some;
}

std::vector<ItemIndex> sorted(std::vector<ItemIndex> of) {
  std::sort(of.begin(), of.end());
  return of;
}

// The definitions once more, as slowly as they can be written.
std::array<double, 5> by_hand(std::vector<ItemIndex> list, const std::vector<ItemIndex>& relevant,
                              std::size_t k) {
  double hits = 0, gain = 0, ideal = 0, first = 0;
  list.resize(std::min(list.size(), k));
  for (std::size_t n = 0; n < list.size(); ++n) {
    if (std::find(relevant.begin(), relevant.end(), list[n]) == relevant.end()) continue;
    if (hits == 0) first = 1.0 / static_cast<double>(n + 1);
    ++hits;
    gain += 1.0 / std::log2(static_cast<double>(n) + 2.0);
  }
  for (std::size_t n = 0; n < std::min(k, relevant.size()); ++n)
    ideal += 1.0 / std::log2(static_cast<double>(n) + 2.0);
  return {hits / static_cast<double>(k), hits / static_cast<double>(relevant.size()), hits > 0 ? 1.0 : 0.0,
          gain / ideal, first};
}

RC_GTEST_PROP(LiveEvaluation, TheReleasedMeansAreThoseOfTheLists, ()) {
  const auto k = *rc::gen::inRange<std::uint32_t>(1, 12);
  const Task task = evaluated(3, k);
  const auto people = *rc::gen::inRange<std::size_t>(1, 8);
  const TaskShape shape = task.shape();
  SumSpace space(shape.sum_rows, shape.sum_width);
  Aggregator sum(space);
  std::array<double, 5> expected{};
  std::vector<std::uint64_t> lists(items, 0);
  for (std::size_t person = 0; person < people; ++person) {
    const auto relevant = sorted(some_items(1, 3));
    const auto list = some_items(0, k);
    const Contribution sent = figures_of(task, list, relevant);
    RC_ASSERT(FiguresCheck(task).check(sent).ok());
    RC_ASSERT(sent.size() <= shape.sent.most_rows);
    RC_ASSERT(sum.accept(sent).ok());
    const auto values = by_hand(list, relevant, k);
    for (std::size_t n = 0; n < values.size(); ++n) expected[n] += values[n];
    for (const ItemIndex item : list) ++lists[item.value];
  }
  const auto figures = read_figures(task, people, false, std::move(sum));
  RC_ASSERT(figures.ok());
  RC_ASSERT(figures->people == people);
  RC_ASSERT(figures->lists == lists);
  for (std::size_t n = 0; n < expected.size(); ++n)
    RC_ASSERT(std::abs(figures->means[n] - expected[n] / static_cast<double>(people)) < 1.0 / one);
}

RC_GTEST_PROP(LiveEvaluation, TheNewestAreHeldOut, ()) {
  const Task task = evaluated(*rc::gen::inRange<std::uint32_t>(1, 6), 10);
  const auto newest_first = some_items(0, 20);
  const auto own = sorted(newest_first);
  std::vector<std::uint16_t> ages(own.size());
  for (std::size_t n = 0; n < own.size(); ++n)
    ages[n] = static_cast<std::uint16_t>(std::find(newest_first.begin(), newest_first.end(), own[n]) -
                                         newest_first.begin());
  const auto held = held_out(*task.evaluation, own, ages, {});
  const std::size_t count = std::min<std::size_t>(task.evaluation->holdout, own.size() / 2);
  RC_ASSERT(held ==
            sorted({newest_first.begin(), newest_first.begin() + static_cast<std::ptrdiff_t>(count)}));
}

TEST(LiveEvaluation, AShareIsRoundedDownAndExcludesACount) {
  v1::TaskSpec spec = usual_spec(fpl_task, 30);
  v1::Evaluation& asked = *spec.mutable_evaluation();
  asked.set_cutoff(10);
  asked.set_share(0.2f);
  const auto task = read_task(spec);
  ASSERT_TRUE(task.ok()) << task.error().message;
  std::vector<ItemIndex> own;
  std::vector<std::uint16_t> ages;
  for (const std::size_t held : {0u, 0u, 0u, 0u, 1u, 1u, 1u, 1u, 1u, 2u}) {
    ages.insert(ages.begin(), static_cast<std::uint16_t>(own.size()));
    own.push_back(ItemIndex{static_cast<std::uint32_t>(2 * own.size())});
    const auto newest = held_out(*task->evaluation, own, ages, {});
    EXPECT_EQ(newest, std::vector(own.end() - static_cast<std::ptrdiff_t>(held), own.end())) << own.size();
  }
  for (const float share : {-0.1f, 0.51f, NAN}) {
    asked.set_share(share);
    EXPECT_FALSE(read_task(spec).ok()) << share;
  }
  asked.set_share(0.2f);
  asked.set_holdout(2);
  EXPECT_FALSE(read_task(spec).ok());
}

// What is trained on now is not held out later, however much is added, once there is enough.
RC_GTEST_PROP(LiveEvaluation, WithoutTimesTheDrawStaysTheSame, ()) {
  const Task task = evaluated(3, 10);
  const auto all = some_items(6, 30);
  const DeviceStreams streams{*rc::gen::arbitrary<std::uint64_t>(), UserIndex{0}};
  std::vector<ItemIndex> before =
      held_out(*task.evaluation, sorted({all.begin(), all.begin() + 6}), {}, streams);
  RC_ASSERT(before.size() == 3u);
  for (std::size_t n = 7; n <= all.size(); ++n) {
    const auto now = held_out(
        *task.evaluation, sorted({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)}), {}, streams);
    RC_ASSERT(now.size() == 3u);
    for (const ItemIndex item : now)
      RC_ASSERT(item == all[n - 1] || std::find(before.begin(), before.end(), item) != before.end());
    before = now;
  }
}

// A contribution with one number changed.
Contribution with(const Contribution& sent, std::uint32_t row, std::size_t column, std::int32_t value) {
  Contribution out(sent.width());
  ContributionPipeline pipeline({}, FixedPoint{}, out);
  bool found = false;
  for (std::size_t n = 0; n < sent.size(); ++n) {
    std::int32_t* values = pipeline.open_row(sent.row(n));
    std::copy_n(sent.values(n), sent.width(), values);
    if (sent.row(n) == row) values[column] = value, found = true;
  }
  if (!found) pipeline.open_row(row)[column] = value;
  return out;
}

TEST(LiveEvaluation, FiguresThatNoListHasAreRefused) {
  const Task task = evaluated(2, 3);
  const FiguresCheck check(task);
  const std::vector<ItemIndex> list{{4}, {7}, {9}}, relevant{{7}, {20}};
  const Contribution honest = figures_of(task, list, relevant);
  ASSERT_TRUE(check.check(honest).ok());
  const auto whole = static_cast<std::int32_t>(one);
  EXPECT_FALSE(check.check(with(honest, 0, 0, 2 * whole)).ok());  // two people
  EXPECT_FALSE(check.check(with(honest, 0, 0, 0)).ok());          // nobody
  for (std::size_t metric = 1; metric <= 5; ++metric)
    for (const std::int32_t value : {-1, whole + 1, 0})
      EXPECT_FALSE(check.check(with(honest, 0, metric, value)).ok()) << metric << " " << value;
  EXPECT_FALSE(check.check(with(honest, 0, 3, whole / 2)).ok());  // half a hit
  const Contribution missed = figures_of(task, list, std::vector<ItemIndex>{{20}});
  ASSERT_TRUE(check.check(missed).ok());
  EXPECT_FALSE(check.check(with(missed, 0, 4, 1)).ok());          // a gain without a hit
  EXPECT_FALSE(check.check(with(honest, 3, 0, whole)).ok());      // a fourth item
  EXPECT_FALSE(check.check(with(honest, 1, 4, 2 * whole)).ok());  // an item twice
  EXPECT_FALSE(check.check(with(honest, 1, 4, -whole)).ok());
  EXPECT_FALSE(check.check(with(figures_of(task, {}, relevant), 7, 5, whole)).ok());  // beyond the catalogue
  EXPECT_FALSE(check.check(Contribution(6)).ok());
}

TEST(LiveEvaluation, ATotalThatNoListsHaveIsNotReleased) {
  const Task task = evaluated(2, 3);
  const TaskShape shape = task.shape();
  const auto total = [&](std::int64_t people, std::int64_t metric, std::int64_t listed, bool noisy = false) {
    SumSpace space(shape.sum_rows, shape.sum_width);
    Aggregator sum(space);
    const std::int64_t first[] = {people, metric, metric, metric, metric, metric};
    const std::int64_t second[] = {listed, 0, 0, 0, 0, 0};
    sum.add_total(0, first);
    sum.add_total(1, second);
    return read_figures(task, 5, noisy, std::move(sum)).ok();
  };
  constexpr std::int64_t each = 1 << 16;
  EXPECT_TRUE(total(5 * each, 4 * each, 5 * each));
  EXPECT_FALSE(total(6 * each, 4 * each, 0));
  EXPECT_FALSE(total(5 * each, 5 * each + 1, 0));
  EXPECT_FALSE(total(5 * each, -1, 0));
  EXPECT_FALSE(total(5 * each, each, 6 * each));
  EXPECT_FALSE(total(5 * each, each, 7));
  EXPECT_TRUE(total(6 * each, -1, 0, true));  // noise
}

Task rated(std::uint32_t holdout, bool coverage = false) {
  v1::TaskSpec spec = usual_spec(fedcars_task, items);
  spec.mutable_evaluation()->set_holdout(holdout);
  spec.mutable_evaluation()->set_cutoff(10);
  spec.mutable_evaluation()->set_coverage(coverage);
  spec.mutable_evaluation()->set_rating_range(4.0f);
  return evaluation_task(*read_task(spec));
}

RC_GTEST_PROP(LiveEvaluation, ErrorsOfRatingsAreThoseOverAllThatWereJudged, ()) {
  const bool coverage = *rc::gen::arbitrary<bool>();
  const Task task = rated(3, coverage);
  const TaskShape shape = task.shape();
  SumSpace space(shape.sum_rows, shape.sum_width);
  Aggregator sum(space);
  double absolute = 0, squared = 0;
  std::size_t count = 0;
  const auto people = *rc::gen::inRange<std::size_t>(1, 8);
  std::vector<std::uint64_t> lists(coverage ? items : 0, 0);
  for (std::size_t person = 0; person < people; ++person) {
    std::vector<float> errors;
    for (auto n = *rc::gen::inRange<std::size_t>(0, 4); n > 0; --n)
      errors.push_back(static_cast<float>(*rc::gen::inRange(-400, 401)) / 100.0f);
    const auto list = some_items(0, 10);
    const Contribution sent = figures_of(task, list, sorted(some_items(1, 3)), errors);
    RC_ASSERT(FiguresCheck(task).check(sent).ok());
    RC_ASSERT(sent.size() <= shape.sent.most_rows);
    for (std::size_t row = 0; row < sent.size(); ++row)
      for (std::size_t k = 0; k < sent.width(); ++k) RC_ASSERT(sent.values(row)[k] <= shape.limit);
    RC_ASSERT(sum.accept(sent).ok());
    for (const float error : errors) {
      absolute += std::abs(double{error});
      squared += double{error} * double{error};
      ++count;
    }
    if (coverage)
      for (const ItemIndex item : list) ++lists[item.value];
  }
  const auto figures = read_figures(task, people, false, std::move(sum));
  RC_ASSERT(figures.ok());
  RC_ASSERT(figures->lists == lists);
  RC_ASSERT(figures->ratings.has_value() == (count > 0));
  if (count == 0) return;
  RC_ASSERT(figures->ratings->ratings == static_cast<double>(count));
  RC_ASSERT(std::abs(figures->ratings->errors[0] - absolute / static_cast<double>(count)) < 1e-4);
  RC_ASSERT(std::abs(figures->ratings->errors[1] - std::sqrt(squared / static_cast<double>(count))) < 1e-2);
}

TEST(LiveEvaluation, ErrorsThatNoRatingsHaveAreRefused) {
  const Task task = rated(2);
  const FiguresCheck check(task);
  const std::vector<ItemIndex> list{{4}}, relevant{{7}};
  const Contribution honest = figures_of(task, list, relevant, std::vector<float>{1.0f, -2.0f});
  ASSERT_TRUE(check.check(honest).ok());
  constexpr auto full = static_cast<std::int32_t>(one);
  EXPECT_FALSE(check.check(with(honest, 1, 0, 3 * full)).ok());  // more than are held out
  EXPECT_FALSE(check.check(with(honest, 1, 0, full + 1)).ok());  // a part of a rating
  EXPECT_FALSE(check.check(with(honest, 1, 1, -1)).ok());
  EXPECT_FALSE(check.check(with(honest, 1, 1, 2 * full + 1)).ok());
  EXPECT_FALSE(check.check(with(honest, 1, 2, 2 * full)).ok());  // squares above the errors
  EXPECT_FALSE(check.check(with(honest, 1, 4, 1)).ok());
  // Where no ratings are judged there is no such row.
  EXPECT_FALSE(FiguresCheck(evaluated(2, 10, false)).check(honest).ok());
}

Task classified(std::uint32_t holdout) {
  v1::TaskSpec spec = classifier_spec();
  spec.mutable_evaluation()->set_holdout(holdout);
  return evaluation_task(*read_task(spec));
}

RC_GTEST_PROP(LiveEvaluation, AnAccuracyIsOverAllExamples, ()) {
  const Task task = classified(*rc::gen::inRange<std::uint32_t>(1, 1001));
  const TaskShape shape = task.shape();
  RC_ASSERT(shape.sum_rows == 1u);
  SumSpace space(shape.sum_rows, shape.sum_width);
  Aggregator sum(space);
  const auto people = *rc::gen::inRange<std::size_t>(1, 40);
  std::uint64_t examples = 0, right = 0;
  for (std::size_t person = 0; person < people; ++person) {
    LocalScore score;
    score.examples = *rc::gen::inRange<std::uint64_t>(1, most_judged(*task.evaluation) + 1);
    score.right = *rc::gen::inRange<std::uint64_t>(0, score.examples + 1);
    const Contribution sent = count_of(task, score);
    RC_ASSERT(FiguresCheck(task).check(sent).ok());
    RC_ASSERT(sent.values(0)[1] <= shape.limit);
    double square = 0;
    for (std::size_t k = 0; k < sent.width(); ++k) square += std::pow(sent.values(0)[k] / one, 2);
    RC_ASSERT(std::sqrt(square) <= longest_figures(*task.evaluation) + 1e-9);
    RC_ASSERT(sum.accept(sent).ok());
    examples += score.examples;
    right += score.right;
  }
  const auto figures = read_figures(task, people, false, std::move(sum));
  RC_ASSERT(figures.ok());
  RC_ASSERT(figures->answers.has_value());
  RC_ASSERT(figures->answers->examples == static_cast<double>(examples));
  RC_ASSERT(figures->answers->accuracy == static_cast<double>(right) / static_cast<double>(examples));
}

TEST(LiveEvaluation, CountsThatNoExamplesHaveAreRefused) {
  const Task task = classified(3);
  const FiguresCheck check(task);
  const Contribution honest = count_of(task, {.right = 2, .examples = 3});
  ASSERT_TRUE(check.check(honest).ok());
  constexpr auto full = static_cast<std::int32_t>(one);
  EXPECT_FALSE(check.check(with(honest, 0, 0, 2 * full)).ok());  // two people
  EXPECT_FALSE(check.check(with(honest, 0, 1, 4 * full)).ok());  // more than are held out
  EXPECT_FALSE(check.check(with(honest, 0, 1, full)).ok());      // fewer than are right
  EXPECT_FALSE(check.check(with(honest, 0, 1, 3 * full - 1)).ok());
  EXPECT_FALSE(check.check(with(honest, 0, 2, full / 2)).ok());  // half an example
  EXPECT_FALSE(check.check(with(honest, 0, 2, -full)).ok());
  EXPECT_FALSE(check.check(with(honest, 0, 3, 1)).ok());
  EXPECT_FALSE(check.check(with(honest, 1, 0, full)).ok());
  EXPECT_FALSE(check.check(with(with(honest, 0, 1, 0), 0, 2, 0)).ok());  // nothing was judged
  EXPECT_FALSE(check.check(Contribution(6)).ok());
}

TEST(LiveEvaluation, ACountThatNoExamplesHaveIsNotReleased) {
  const Task task = classified(3);
  const auto total = [&](std::int64_t people, std::int64_t examples, std::int64_t right, bool noisy = false) {
    SumSpace space(task.shape().sum_rows, task.shape().sum_width);
    Aggregator sum(space);
    const std::int64_t row[] = {people, examples, right, 0, 0, 0};
    sum.add_total(0, row);
    return read_figures(task, 5, noisy, std::move(sum));
  };
  constexpr std::int64_t each = 1 << 16;
  EXPECT_TRUE(total(5 * each, 12 * each, 7 * each).ok());
  EXPECT_FALSE(total(6 * each, 12 * each, 7 * each).ok());
  EXPECT_FALSE(total(5 * each, 4 * each, 0).ok()) << "each has one";
  EXPECT_FALSE(total(5 * each, 16 * each, 0).ok());
  EXPECT_FALSE(total(5 * each, 12 * each, 13 * each).ok());
  EXPECT_FALSE(total(5 * each, 12 * each, 7 * each + 1).ok());
  EXPECT_FALSE(total(5 * each, 12 * each, -each).ok());
  const auto noisy = total(6 * each, 12 * each + 5, 13 * each, true);
  ASSERT_TRUE(noisy.ok());
  EXPECT_EQ(noisy->answers->accuracy, 1.0);
  EXPECT_FALSE(total(each, -each, each, true)->answers.has_value()) << "drowned";
}

TEST(LiveEvaluation, ATaskThatAsksForTooMuchIsRefused) {
  const auto refused = [](std::uint32_t holdout, std::uint32_t cutoff) {
    v1::TaskSpec spec = usual_spec(fpl_task, items);
    spec.mutable_evaluation()->set_holdout(holdout);
    spec.mutable_evaluation()->set_cutoff(cutoff);
    return !read_task(spec).ok();
  };
  EXPECT_FALSE(refused(1, 1));
  EXPECT_FALSE(refused(1000, items));
  EXPECT_TRUE(refused(0, 10));
  EXPECT_TRUE(refused(1001, 10));
  EXPECT_TRUE(refused(1, 0));
  EXPECT_TRUE(refused(1, items + 1));
  v1::TaskSpec spec = usual_spec(fpl_task, items);
  spec.mutable_evaluation()->set_holdout(1);
  spec.mutable_evaluation()->set_cutoff(1);
  for (const float range : {-1.0f, INFINITY, NAN}) {
    spec.mutable_evaluation()->set_rating_range(range);
    EXPECT_FALSE(read_task(spec).ok()) << range;
  }
}

}  // namespace
}  // namespace sotto::fed::live_evaluation_test
