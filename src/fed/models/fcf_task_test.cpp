// FCF's half of the seam: which contributions a server takes, and what a device says it sent.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fed/models/testing/usual_spec.h"
#include "fed/wire/device_fit.h"
#include "model/fcf.h"

namespace sotto::fed::fcf_task_test {
namespace {

constexpr std::uint32_t items = 30;

Task small_task() {
  v1::TaskSpec spec = usual_spec(fcf_task, items);
  spec.set_seed(5);
  return *read_task(spec);
}

Contribution honest(const std::vector<ItemIndex>& history, const ConsentTerms& terms) {
  const Task task = small_task();
  DeviceFit device(task, {5, UserIndex{2}}, history, terms);
  Private<RowMatrix> own = device.start();
  return **device.fit(0, task.model->server(task)->start().shared, own.on_device());
}

// The same with every number as `change` makes it: change(row, column, value).
template <class Change>
Contribution changed(const Contribution& sent, const Change& change) {
  Contribution out(sent.width());
  FixedPoint fixed;
  ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), fixed, out);
  for (std::size_t n = 0; n < sent.size(); ++n) {
    std::int32_t* row = pipeline.open_row(sent.row(n));
    for (std::size_t k = 0; k < sent.width(); ++k) row[k] = change(sent.row(n), k, sent.values(n)[k]);
  }
  return out;
}

// Rows that a device makes, from small to beyond the range, with and without clips.
RC_GTEST_PROP(FcfOverANetwork, WhatAnHonestDeviceMakesIsTakenAlsoClippedAndAtTheRangesEnd, ()) {
  Task task = small_task();
  FcfOptions fcf = options_of<FcfOptions>(task);
  fcf.als.lambda = *rc::gen::element(1e-4f, 1e-2f, 0.5f);
  fcf.als.confidence = *rc::gen::element(0.5f, 9.0f, 40.0f, 1000.0f);
  fcf.als.init_sd = *rc::gen::element(0.01f, 0.2f, 1.0f, 30.0f);
  fcf.als.seed = *rc::gen::arbitrary<std::uint32_t>();
  task.options = fcf;
  constexpr double one = 0x1p20, none = ClipLimits::none;
  task.clip.whole = *rc::gen::element(none, 2.0, 1000.0, 0.01 * one, 0.7 * one, 3.0 * one, 300.0 * one);
  task.clip.row = *rc::gen::element(none, none, 1.0, 0.3 * one, 40.0 * one);
  std::vector<ItemIndex> history;
  for (std::uint32_t item = 0; item < items; ++item)
    if (*rc::gen::arbitrary<bool>()) history.push_back({item});
  RC_PRE(!history.empty());
  DeviceFit device(task, {5, UserIndex{2}}, history, ConsentTerms{});
  Private<RowMatrix> own = device.start();
  const auto server = task.model->server(task);
  const auto made = device.fit(0, server->start().shared, own.on_device());
  RC_PRE(made.ok());
  RC_ASSERT(server->check(**made).ok());
}

Status checked(const Contribution& sent) {
  const Task task = small_task();
  return task.model->server(task)->check(sent);
}

RC_GTEST_PROP(FcfOverANetwork, EveryHonestContributionIsTaken, ()) {
  std::vector<ItemIndex> history;
  for (std::uint32_t item = 0; item < items; ++item)
    if (*rc::gen::arbitrary<bool>()) history.push_back({item});
  RC_PRE(!history.empty());
  const ConsentTerms terms{.pi = *rc::gen::element(0.0, 0.5, 1.0), .mask = MaskKind::redraw, .rules = {}};
  RC_ASSERT(checked(honest(history, terms)).ok());
}

TEST(FcfOverANetwork, WhatIsNoGradientIsRefusedWithItsReason) {
  const Contribution sent = honest({{1}, {4}, {9}}, {});
  ASSERT_EQ(sent.size(), items);
  ASSERT_TRUE(checked(changed(sent, [](auto, auto, std::int32_t value) { return value; })).ok());
  const auto why = [&](const auto& change) {
    const Status status = checked(changed(sent, change));
    return status.ok() ? std::string() : status.error().message;
  };
  // One row that wants more than the others, along another direction.
  EXPECT_NE(why([](std::uint32_t row, std::size_t k, std::int32_t value) {
              return row == 7 && k == 3 ? value + (1 << 20) : value;
            }).find("not multiples of one"),
            std::string::npos);
  EXPECT_NE(why([](std::uint32_t row, std::size_t k, std::int32_t) {
              return static_cast<std::int32_t>((row * 7919 + k * 104729) % 65536) - 32768;
            }).find("not multiples of one"),
            std::string::npos);
  // One number at the range's end in each row, and the others whatever they like.
  EXPECT_NE(why([](std::uint32_t row, std::size_t k, std::int32_t) {
              return k == row % 3 ? step_limit : static_cast<std::int32_t>((row * 7919 + k * 104729) % 65536);
            }).find("not multiples of one"),
            std::string::npos);
  EXPECT_NE(why([](std::uint32_t row, std::size_t, std::int32_t value) {
              return row == 7 ? step_limit + 1 : value;
            }).find("larger than a gradient's"),
            std::string::npos);
  Contribution twice(sent.width());
  ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), FixedPoint{}, twice);
  pipeline.open_row(3)[0] = 5;
  pipeline.open_row(3)[0] = 5;
  EXPECT_NE(checked(twice).error().message.find("a row twice"), std::string::npos);
}

// Rows do not show it: every item has one.
TEST(FcfOverANetwork, TheItemsThatWereSentAreThoseThatConsentLetOut) {
  const Task task = small_task();
  const std::vector<ItemIndex> history{{1}, {4}, {9}, {11}, {20}};
  ConsentTerms rules{.pi = 1.0, .mask = MaskKind::sticky, .rules = std::vector(items, ItemRule::none)};
  rules.rules[4] = rules.rules[11] = ItemRule::never;
  DeviceFit device(task, {5, UserIndex{2}}, history, rules);
  Private<RowMatrix> own = device.start();
  const RowMatrix shared = task.model->server(task)->start().shared;
  const auto sent = device.fit(0, shared, own.on_device());
  ASSERT_TRUE(sent.ok());
  EXPECT_EQ(device.sent(), (std::vector<ItemIndex>{{1}, {9}, {20}}));
  DeviceFit silent(task, {5, UserIndex{2}}, history, {.pi = 0.0, .mask = MaskKind::sticky, .rules = {}});
  Private<RowMatrix> other = silent.start();
  ASSERT_TRUE(silent.fit(0, shared, other.on_device()).ok());
  EXPECT_TRUE(silent.sent().empty());
}

}  // namespace
}  // namespace sotto::fed::fcf_task_test
