#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fed/models/task_model.h"
#include "fed/models/testing/slow_als.h"
#include "fed/wire/device_fit.h"
#include "fed/wire/packed_contribution.h"

namespace sotto::fed::als_device_test {

constexpr std::uint32_t items = 12;

Task als_task() { return *read_task(als_spec(items)); }
RowMatrix shared_rows() { return als_task().model->server(als_task())->start().shared; }

std::vector<std::uint32_t> rows_in(const Contribution& contribution) {
  std::vector<std::uint32_t> rows;
  for (std::size_t n = 0; n < contribution.size(); ++n) rows.push_back(contribution.row(n));
  return rows;
}

TEST(FederatedAlsOnADevice, SendsOneStatisticForEverybodyAndEachItem) {
  const Task task = als_task();
  DeviceFit device(task, {7, UserIndex{2}}, {{1}, {4}, {9}}, ConsentTerms{});
  Private<RowMatrix> own = device.start();
  const Contribution& sent = **device.fit(0, shared_rows(), own.on_device());
  std::vector<double> p = slow_solution(options_of<AlsOptions>(task), slow_rows(shared_rows()), {1, 4, 9});
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(own.on_device().row(0)[i], p[i], 1e-5);
  p.push_back(1.0);
  EXPECT_EQ(rows_in(sent), (std::vector<std::uint32_t>{0, 2, 5, 10}));
  for (std::size_t n = 0; n < sent.size(); ++n) {
    const std::int32_t* value = sent.values(n);
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = i; j < p.size(); ++j) EXPECT_NEAR(*value++, p[i] * p[j] * 0x1p20, 32.0);
  }
  EXPECT_EQ(device.sent(), (std::vector<ItemIndex>{{1}, {4}, {9}}));
}

TEST(FederatedAlsOnADevice, ItsRowFollowsFromWhatItReceivedAlone) {
  DeviceFit device(als_task(), {7, UserIndex{0}}, {{0}, {3}}, ConsentTerms{});
  Private<RowMatrix> first = device.start(), second = device.start();
  for (float& value : second.on_device().values(0)) value = 17.0f;  // whatever was kept
  const std::string one = pack_contribution({4, **device.fit(4, shared_rows(), first.on_device())});
  EXPECT_EQ(pack_contribution({4, **device.fit(4, shared_rows(), second.on_device())}), one);
}

TEST(FederatedAlsOnADevice, AnswersWithoutAnItemThatItLacks) {
  std::vector<ItemIndex> all;
  for (std::uint32_t item = 0; item < items; ++item) all.push_back({item});
  EXPECT_TRUE(DeviceFit(als_task(), {}, all, ConsentTerms{}).can_answer());
  EXPECT_FALSE(DeviceFit(als_task(), {}, {}, ConsentTerms{}).can_answer());
}

TEST(FederatedAlsOnADevice, IsSilentWhereItHasNoSolution) {
  Task task = als_task();
  task.options = AlsOptions{.factors = 3, .lambda = 0.0f};
  const RowMatrix nothing(items, 4);
  DeviceFit device(task, {}, {{1}}, ConsentTerms{});
  Private<RowMatrix> own = device.start();
  const auto made = device.fit(0, nothing, own.on_device());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, Code::diverged);
  EXPECT_EQ(own.on_device().row(0)[3], 1.0f);
}

// What a rule keeps back changes no number of what leaves; what π keeps back has no row of its own.
RC_GTEST_PROP(FederatedAlsOnADevice, LetsNothingOutThatIsKeptBack, ()) {
  const auto owned = *rc::gen::container<std::vector<bool>>(items, rc::gen::arbitrary<bool>());
  ConsentTerms terms;
  terms.rules = *rc::gen::container<std::vector<ItemRule>>(
      items, rc::gen::element(ItemRule::none, ItemRule::always, ItemRule::never));
  terms.pi = *rc::gen::element(0.0, 0.5, 1.0);
  terms.mask = *rc::gen::element(MaskKind::sticky, MaskKind::redraw);
  const auto round = *rc::gen::inRange<std::uint32_t>(0, 9);
  std::vector<ItemIndex> history, open;
  for (std::uint32_t item = 0; item < items; ++item) {
    if (!owned[item]) continue;
    history.push_back({item});
    if (terms.rules[item] != ItemRule::never) open.push_back({item});
  }
  RC_PRE(!open.empty());
  DeviceFit device(als_task(), {7, UserIndex{2}}, history, terms);
  DeviceFit without(als_task(), {7, UserIndex{2}}, open, terms);
  Private<RowMatrix> own = device.start(), other = without.start();
  const Contribution& sent = **device.fit(round, shared_rows(), own.on_device());
  const Contribution& expected = **without.fit(round, shared_rows(), other.on_device());
  RC_ASSERT(pack_contribution({round, sent}) == pack_contribution({round, expected}));
  const std::vector<ItemIndex> told = device.sent();
  RC_ASSERT(sent.size() == told.size() + 1);
  RC_ASSERT(sent.row(0) == 0u);
  for (std::size_t n = 0; n < told.size(); ++n) {
    RC_ASSERT(sent.row(n + 1) == told[n].value + 1);
    RC_ASSERT(std::binary_search(open.begin(), open.end(), told[n]));
    RC_ASSERT(terms.pi > 0.0 || terms.rules[told[n].value] == ItemRule::always);
  }
  for (const ItemIndex item : open)
    RC_ASSERT((terms.pi < 1.0 && terms.rules[item.value] != ItemRule::always) ||
              std::binary_search(told.begin(), told.end(), item));
}

TEST(ASolvedRow, IsLeastSquaresOfTheWholeHistory) {
  const Task task = als_task();
  const RowMatrix shared = shared_rows();
  const Histories history({0, 3}, {{0}, {2}, {11}}), none({0, 0}, {});
  const auto answers = task.model->answers({task, shared, history, nullptr});
  ASSERT_TRUE(answers.ok());
  const SlowRows rows = slow_rows(shared);
  const std::vector<double> p = slow_solution(options_of<AlsOptions>(task), rows, {0, 2, 11});
  std::vector<float> scores(task.items);
  (*answers)->score(scores);
  for (std::size_t item = 0; item < scores.size(); ++item) {
    double expected = shared.values(item).back();
    for (std::size_t i = 0; i < p.size(); ++i) expected += rows[item][i] * p[i];
    EXPECT_NEAR(scores[item], expected, 1e-5) << item;
  }
  EXPECT_EQ(task.model->answers({task, shared, none, nullptr}).error().code, Code::not_found);
}

}  // namespace sotto::fed::als_device_test
