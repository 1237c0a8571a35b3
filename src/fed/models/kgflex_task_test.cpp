// KGFlex's half of the seam: what a person keeps back is in no contribution, what was learned of a feature
// stays where the profile changes, and which contributions a server takes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fed/models/testing/usual_spec.h"
#include "fed/wire/device_fit.h"

namespace sotto::fed::kgflex_task_test {
namespace {

constexpr std::uint32_t items = 24;
const std::vector<ItemIndex> history{{1}, {2}, {5}, {8}, {13}, {21}};

Task small_task() {
  v1::TaskSpec spec = usual_spec(kgflex_task, items);
  spec.set_seed(5);
  return *read_task(spec);
}

struct Sent {
  Private<RowMatrix> own;
  Contribution contribution;
  std::vector<ItemIndex> items;
};
Sent sent(const ConsentTerms& terms, const std::vector<ItemIndex>& has = history,
          const Private<RowMatrix>* kept = nullptr) {
  const Task task = small_task();
  DeviceFit device(task, {5, UserIndex{2}}, has, terms, {}, usual_knowledge(items));
  Private<RowMatrix> own = kept != nullptr ? device.resumed(*kept) : device.start();
  Contribution made = **device.fit(0, task.model->server(task)->start().shared, own.on_device());
  return {own, std::move(made), device.sent()};
}

TEST(KgflexOverANetwork, AFeatureThatIsKeptBackIsInNoContribution) {
  const Sent open = sent({});
  ASSERT_GT(open.contribution.size(), 1u);
  const std::uint32_t feature = open.contribution.row(0);
  ConsentTerms terms;
  terms.kept_back = {FeatureIndex{feature}};
  const Sent kept = sent(terms);
  EXPECT_GT(kept.contribution.size(), 0u);
  for (std::size_t n = 0; n < kept.contribution.size(); ++n) EXPECT_NE(kept.contribution.row(n), feature);
}

TEST(KgflexOverANetwork, AnItemUnderNeverIsAsIfItsPersonDidNotHaveIt) {
  ConsentTerms terms;
  terms.rules.assign(items, ItemRule::none);
  terms.rules[5] = ItemRule::never;
  std::vector<ItemIndex> without = history;
  std::erase(without, ItemIndex{5});
  const Sent one = sent(terms), other = sent({}, without);
  ASSERT_EQ(one.contribution.size(), other.contribution.size());
  for (std::size_t n = 0; n < one.contribution.size(); ++n) {
    EXPECT_EQ(one.contribution.row(n), other.contribution.row(n));
    EXPECT_TRUE(std::equal(one.contribution.values(n), one.contribution.values(n) + one.contribution.stride(),
                           other.contribution.values(n)));
  }
}

TEST(KgflexOverANetwork, TheItemsThatAreSaidToBeSentAreThoseThatPairsDrewAndConsentLetOut) {
  const Sent all = sent({});
  EXPECT_TRUE(std::ranges::is_sorted(all.items));
  EXPECT_FALSE(all.items.empty());
  for (const ItemIndex item : all.items) EXPECT_TRUE(std::ranges::binary_search(history, item));
  EXPECT_TRUE(sent({.pi = 0.0, .mask = MaskKind::redraw, .rules = {}}).items.empty());
}

TEST(KgflexOverANetwork, WhatWasLearnedOfAFeatureStaysWhereTheProfileGrows) {
  const Task task = small_task();
  const std::size_t stride = RowMatrix::stride_for(task.shape().width);
  // Features and what was learned of each.
  const auto learned = [&](const RowMatrix& own) {
    std::map<float, std::vector<float>> all;
    const std::size_t count = own.width() / (stride + 1);
    for (std::size_t n = 0; n < count; ++n)
      all[own.values(0)[count * stride + n]] = {own.row(0) + n * stride, own.row(0) + (n + 1) * stride};
    return all;
  };
  const Sent before = sent({});
  std::vector<ItemIndex> more = history;
  more.push_back({22});
  more.push_back({23});
  DeviceFit device(task, {5, UserIndex{2}}, more, {}, {}, usual_knowledge(items));
  const auto old = learned(before.own.on_device());
  const auto now = learned(device.resumed(before.own).on_device());
  const auto fresh = learned(device.start().on_device());
  std::size_t stayed = 0, began = 0;
  for (const auto& [feature, row] : now) {
    const bool was_there = old.contains(feature);
    EXPECT_EQ(row, was_there ? old.at(feature) : fresh.at(feature)) << feature;
    (was_there ? stayed : began) += 1;
  }
  EXPECT_GT(stayed, 0u);
  EXPECT_EQ(now.size(), fresh.size());
  EXPECT_NE(now, fresh);
  // Of another model: begun anew.
  EXPECT_EQ(learned(device.resumed(Private<RowMatrix>(RowMatrix(1, 7))).on_device()), fresh);
}

TEST(KgflexOverANetwork, WithoutTheTasksFeaturesADeviceHasNothingToAnswerWith) {
  const Task task = small_task();
  const auto can = [&](const DeviceKnowledge& known) {
    return DeviceFit(task, {5, UserIndex{2}}, history, {}, {}, known).can_answer();
  };
  EXPECT_TRUE(can(usual_knowledge(items)));
  EXPECT_FALSE(can({}));
  EXPECT_FALSE(can(usual_knowledge(items + 1)));
  EXPECT_NE(kgflex_task.check_known(task, {}).error().message.find("does not have them"), std::string::npos);
  v1::TaskSpec spec;
  EXPECT_NE(kgflex_task.take_known({}, spec).error().message.find("knowledge graph"), std::string::npos);
}

RC_GTEST_PROP(KgflexOverANetwork, EveryHonestContributionIsTaken, ()) {
  std::vector<ItemIndex> has;
  for (std::uint32_t item = 0; item < items; ++item)
    if (*rc::gen::arbitrary<bool>()) has.push_back({item});
  RC_PRE(has.size() > 1 && has.size() < items);
  const ConsentTerms terms{.pi = *rc::gen::element(0.0, 0.5, 1.0), .mask = MaskKind::redraw, .rules = {}};
  const Task task = small_task();
  DeviceFit device(task, {5, UserIndex{2}}, has, terms, {}, usual_knowledge(items));
  RC_PRE(device.can_answer());
  Private<RowMatrix> own = device.start();
  const auto server = task.model->server(task);
  RC_ASSERT(server->check(**device.fit(0, server->start().shared, own.on_device())).ok());
}

TEST(KgflexOverANetwork, ABiasThatNoVisitMovesAndAFeatureTwiceAreRefused) {
  const Task task = small_task();
  const auto server = task.model->server(task);
  const auto why = [&](std::uint32_t second, std::int32_t bias) {
    Contribution made(task.shape().sum_width);
    ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), FixedPoint{}, made);
    pipeline.open_row(1)[0] = 5;
    pipeline.open_row(second)[10] = bias;
    const Status taken = server->check(made);
    return taken.ok() ? std::string() : taken.error().message;
  };
  EXPECT_EQ(why(2, items << 20), "");
  EXPECT_NE(why(2, (items + 1) << 20).find("a visit's pairs"), std::string::npos);
  EXPECT_NE(why(2, -static_cast<std::int32_t>((items + 1) << 20)).find("a visit's pairs"), std::string::npos);
  EXPECT_NE(why(1, 1).find("a feature twice"), std::string::npos);
}

// Whoever lies as loudly as is taken moves the rows by no more than what a clip leaves of it.
TEST(KgflexOverANetwork, AFleetThatLiesIsBoundedByItsClip) {
  v1::TaskSpec spec = usual_spec(kgflex_task, items);
  spec.set_clip(0.5);
  const Task task = *read_task(spec);
  const auto server = task.model->server(task);
  const ServerState before = server->start();
  const TaskShape shape = task.shape();
  SumSpace space(shape.sum_rows, shape.sum_width);
  Aggregator sum(space);
  constexpr std::uint32_t liars = 4;
  for (std::uint32_t liar = 0; liar < liars; ++liar) {
    Contribution lie(shape.sum_width);
    ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), task.plan.fixed, lie);
    for (std::uint32_t row = 0; row < shape.sum_rows; ++row) {
      std::int32_t* values = pipeline.open_row(row);
      for (std::size_t k = 0; k + 1 < shape.sum_width; ++k) values[k] = fixed_limit;
      values[shape.sum_width - 1] = items << 20;
    }
    ASSERT_TRUE(server->check(lie).ok());
    ContributionEdit(lie).clip(task.clip);
    ASSERT_TRUE(sum.accept(lie).ok());
  }
  const ServerState after = server->release(0, before, std::move(sum)).value();
  double moved = 0.0;
  for (std::size_t row = 0; row < shape.rows; ++row)
    for (std::size_t k = 0; k < shape.width; ++k)
      moved += std::pow(double{after.shared.row(row)[k]} - double{before.shared.row(row)[k]}, 2);
  EXPECT_GT(moved, 0.0);
  EXPECT_LE(std::sqrt(moved), 0.1 * 0.5 * liars * 1.001) << "the rate, the clip, the liars";
}

}  // namespace
}  // namespace sotto::fed::kgflex_task_test
