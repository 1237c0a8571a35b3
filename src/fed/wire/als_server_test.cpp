#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "base/row_hash.h"
#include "fed/models/task_model.h"
#include "fed/models/testing/slow_als.h"
#include "fed/wire/device_fit.h"

namespace sotto::fed::als_server_test {

constexpr std::uint32_t items = 10, devices = 7;

Task als_task() { return *read_task(als_spec(items)); }
std::unique_ptr<ServerModel> server_of(const Task& task) { return task.model->server(task); }

bool has(std::uint32_t device, std::uint32_t item) { return (item * 3 + device * 5) % 4 == 0; }

// What each device sends in the first round, and the private rows of all of them.
struct Answers {
  Answers() {
    const RowMatrix shared = server_of(als_task())->start().shared;
    for (std::uint32_t n = 0; n < devices; ++n) {
      std::vector<ItemIndex> history;
      for (std::uint32_t item = 0; item < items; ++item)
        if (has(n, item)) history.push_back({item});
      DeviceFit fit(als_task(), {7, UserIndex{n}}, history, ConsentTerms{});
      Private<RowMatrix> own = fit.start();
      sent.push_back(**fit.fit(0, shared, own.on_device()));
      rows.push_back(slow_rows(own.on_device()).front());
    }
  }
  std::vector<Contribution> sent;
  SlowRows rows;
};

RowMatrix released(const Answers& answers, const std::vector<std::size_t>& order) {
  const Task task = als_task();
  SumSpace space(task.shape().sum_rows, task.shape().sum_width);
  Aggregator sum(space);
  for (const std::size_t n : order) EXPECT_TRUE(sum.accept(answers.sent[n]).ok());
  return server_of(task)->release(0, {RowMatrix(items, 4), {}}, std::move(sum)).value().shared;
}

TEST(FederatedAlsOnAServer, SolvesTheItemsFromTheSums) {
  const Answers answers;
  std::vector<std::size_t> order(devices);
  std::iota(order.begin(), order.end(), 0u);
  const RowMatrix rows = released(answers, order);
  for (std::uint32_t item = 0; item < items; ++item) {
    std::vector<std::size_t> who;
    for (std::uint32_t n = 0; n < devices; ++n)
      if (has(n, item)) who.push_back(n);
    const std::vector<double> q = slow_solution(options_of<AlsOptions>(als_task()), answers.rows, who);
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(rows.row(item)[i], q[i], 1e-3) << item;
    EXPECT_EQ(rows.row(item)[3], 0.0f);
  }
}

RC_GTEST_PROP(FederatedAlsOnAServer, DoesNotSeeTheOrder, ()) {
  const Answers answers;
  std::vector<std::size_t> order(devices);
  std::iota(order.begin(), order.end(), 0u);
  const std::string expected = hash_rows(released(answers, order));
  for (std::size_t n = devices; n > 1; --n)
    std::swap(order[n - 1], order[*rc::gen::inRange<std::size_t>(0, n)]);
  RC_ASSERT(hash_rows(released(answers, order)) == expected);
}

TEST(FederatedAlsOnAServer, ReleasesNothingFromAnEmptySum) {
  const Task task = als_task();
  SumSpace space(task.shape().sum_rows, task.shape().sum_width);
  const Error quiet = server_of(task)->release(0, {RowMatrix(items, 4), {}}, Aggregator(space)).error();
  EXPECT_EQ(quiet.code, Code::diverged);
  EXPECT_EQ(quiet.message.find("noise"), std::string::npos);
}

// Rows of one value but for the last, which counts.
Contribution rows_of(const std::vector<std::uint32_t>& rows, std::int32_t value, std::int32_t count) {
  const std::size_t width = als_task().shape().sum_width;
  Contribution made(width);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 0, 0, UserIndex{}), FixedPoint{}, made);
  for (const std::uint32_t row : rows) {
    std::int32_t* values = pipeline.open(Evidence::positive, row);
    std::fill_n(values, width - 1, value);
    values[width - 1] = count;
  }
  return made;
}

TEST(FederatedAlsOnAServer, TakesOneStatisticOfOneDevice) {
  constexpr std::int32_t one = 1 << 20;
  const auto model = server_of(als_task());
  const auto said = [&](const Contribution& contribution) {
    const Status checked = model->check(contribution);
    return checked.ok() ? std::string() : checked.error().message;
  };
  const Answers answers;
  for (const Contribution& honest : answers.sent) EXPECT_EQ(said(honest), "");
  EXPECT_EQ(said(rows_of({0, 3, 4}, 0, one)), "");
  EXPECT_NE(said(rows_of({0, 3, 4}, 5, one)).find("products of a row"), std::string::npos);
  EXPECT_NE(said(rows_of({}, 5, one)).find("everybody"), std::string::npos);
  EXPECT_NE(said(rows_of({1, 3}, 5, one)).find("everybody"), std::string::npos);
  EXPECT_NE(said(rows_of({0, 3, 3}, 5, one)).find("twice"), std::string::npos);
  EXPECT_NE(said(rows_of({0, 3}, 5, one + 1)).find("one device"), std::string::npos);
  EXPECT_NE(said(rows_of({0, 3}, 5, 0)).find("one device"), std::string::npos);
  EXPECT_NE(said(rows_of({0, 3}, step_limit + 1, one)).find("larger"), std::string::npos);
}

TEST(FederatedAlsOnAServer, AClipMakesTheCountSmallerWithTheRest) {
  Task task = als_task();
  task.clip.whole = 0.5 * 0x1p20;
  const auto model = server_of(task);
  const RowMatrix shared = server_of(task)->start().shared;
  DeviceFit fit(task, {7, UserIndex{0}}, {{1}, {2}}, ConsentTerms{});
  Private<RowMatrix> own = fit.start();
  const Contribution& sent = **fit.fit(0, shared, own.on_device());
  EXPECT_LT(sent.values(0)[sent.width() - 1], 1 << 20);
  EXPECT_TRUE(model->check(sent).ok());
  EXPECT_FALSE(model->check(rows_of({0}, 5, (1 << 20) + 1)).ok());
  EXPECT_FALSE(model->check(rows_of({0}, 5, -1)).ok());
  // What the clip would let through, from a device that hardly counts.
  EXPECT_TRUE(model->check(rows_of({0}, 0, 0)).ok());
  EXPECT_NE(model->check(rows_of({0}, 1 << 10, 0)).error().message.find("larger"), std::string::npos);
}

// Rows that a device solves, from small to near the range, with and without clips.
RC_GTEST_PROP(FederatedAlsOnAServer, TakesWhatAnHonestDeviceMakesAndNothingNearIt, ()) {
  Task task = als_task();
  AlsOptions als = options_of<AlsOptions>(task);
  als.lambda = *rc::gen::element(1e-4f, 1e-2f, 0.5f);
  als.confidence = *rc::gen::element(0.5f, 3.0f, 40.0f);
  als.init_sd = *rc::gen::element(0.01f, 0.2f, 1.0f, 30.0f);
  als.seed = *rc::gen::arbitrary<std::uint32_t>();
  task.options = als;
  constexpr double one = 0x1p20, none = ClipLimits::none;
  task.clip.whole = *rc::gen::element(none, 2.0, 1000.0, 0.01 * one, 0.7 * one, 3.0 * one);
  task.clip.row = *rc::gen::element(none, none, 1.0, 0.3 * one);
  const auto history = *rc::gen::unique<std::vector<std::uint32_t>>(rc::gen::inRange(0u, items));
  RC_PRE(!history.empty());
  std::vector<ItemIndex> consumed;
  for (const std::uint32_t item : history) consumed.push_back({item});
  std::sort(consumed.begin(), consumed.end());
  DeviceFit fit(task, {7, UserIndex{0}}, consumed, ConsentTerms{});
  Private<RowMatrix> own = fit.start();
  const auto made = fit.fit(0, server_of(task)->start().shared, own.on_device());
  RC_PRE(made.ok());  // numbers beyond the range are not sent
  const auto model = server_of(task);
  const Status honest = model->check(**made);
  RC_ASSERT(honest.ok());
  if (task.clip.whole != none || task.clip.row != none) return;
  const auto place = *rc::gen::inRange<std::size_t>(0, (*made)->width());
  for (const std::int32_t by : {-(1 << 15), 1 << 15}) {
    Contribution lie = **made;
    for (std::size_t n = 0; n < lie.size(); ++n) ContributionEdit(lie).values(n)[place] += by;
    RC_ASSERT(!model->check(lie).ok());
  }
}

// A sum with it would have no solution, however many others are in it.
TEST(FederatedAlsOnAServer, RefusesSquaresBelowZero) {
  const auto model = server_of(als_task());
  Contribution lie = rows_of({0, 3}, 0, 1 << 20);
  for (std::size_t n = 0; n < lie.size(); ++n)
    for (const std::size_t square : {0u, 4u, 7u}) ContributionEdit(lie).values(n)[square] = -step_limit;
  const Status checked = model->check(lie);
  ASSERT_FALSE(checked.ok());
  EXPECT_NE(checked.error().message.find("products of a row"), std::string::npos);
}

}  // namespace sotto::fed::als_server_test
