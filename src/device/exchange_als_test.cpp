// A device in a task of federated ALS: what leaves, and what it recommends from what came.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "device/recommend.h"
#include "device/testing/test_device.h"
#include "fed/models/testing/slow_als.h"
#include "fed/wire/device_fit.h"
#include "fed/wire/packed_contribution.h"

namespace sotto::device::exchange_als_test {
namespace {

// The scores of all items, by least squares over everything that the device has.
std::vector<double> slow_scores(const Task& task, const RowMatrix& rows,
                                const std::vector<ItemIndex>& history) {
  std::vector<std::size_t> own;
  for (const ItemIndex item : history) own.push_back(item.value);
  const SlowRows all = slow_rows(rows);
  const std::vector<double> p = slow_solution(options_of<AlsOptions>(task), all, own);
  std::vector<double> scores;
  for (const auto& q : all) scores.push_back(std::inner_product(p.begin(), p.end(), q.begin(), 0.0));
  return scores;
}

void expect_the_best(const LocalRecommender& recommender, const std::vector<double>& scores,
                     const std::vector<ItemIndex>& history) {
  const auto best = recommender.top(scores.size());
  ASSERT_EQ(best.size(), scores.size() - history.size());
  for (std::size_t n = 0; n < best.size(); ++n) {
    EXPECT_NEAR(best[n].score, scores[std::stoul(best[n].item)], 1e-4);
    EXPECT_TRUE(n == 0 || best[n].score <= best[n - 1].score);
  }
}

// Other rows than the first: as if a round had gone by.
RowMatrix later_rows(const RowMatrix& rows) {
  RowMatrix later = rows;
  for (std::size_t row = 0; row < later.rows(); ++row) std::swap(later.row(row)[0], later.row(row)[1]);
  for (std::size_t row = 0; row < later.rows(); row += 2) later.row(row)[2] += 0.5f;
  return later;
}

TEST(AnExchangeOfFederatedAls, SendsItsStatisticAndNotesItFirst) {
  FakeCoordinator server(als_spec(test_items));
  TestDevice device(server);
  const DeviceStreams streams{(*device.kept->enrolment())->own_seed, UserIndex{0}};
  const auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::answered) << next.report.why;
  EXPECT_EQ(server.contributions, (std::set{contribution_of(server, device, streams, 0, true)}));
  ASSERT_EQ(device.ledger.size(), 1u);
  EXPECT_EQ(device.ledger[0].bytes, server.contributions.begin()->size());
  EXPECT_EQ(device.ledger[0].items.size(), device.history.size());
}

// Of what a rule keeps back nothing leaves, and the ledger has no line of it.
RC_GTEST_PROP(AnExchangeOfFederatedAls, KeepsBackWhatARuleKeeps, ()) {
  FakeCoordinator server(als_spec(test_items));
  TestDevice device(server);
  const std::string kept = std::to_string(device.history[*rc::gen::inRange<std::size_t>(0, 8)].value);
  device.policy.items[kept] = {ConsentAnswer::never};
  RC_ASSERT(device.run(server).report.ending == Ending::answered);
  RC_ASSERT(device.ledger.size() == 1u);
  const auto& told = device.ledger[0].items;
  RC_ASSERT(std::find(told.begin(), told.end(), kept) == told.end());
  const TaskShape shape = server.task.shape();
  const auto sent = unpack_contribution(*server.contributions.begin(), {.catalogue = shape.sum_rows,
                                                                        .width = shape.sum_width,
                                                                        .most_rows = shape.sent.most_rows,
                                                                        .alike = true});
  RC_ASSERT(sent.ok());
  RC_ASSERT(sent->contribution.size() == device.history.size());  // everybody's row, and all items but one
  for (std::size_t n = 0; n < sent->contribution.size(); ++n)
    RC_ASSERT(sent->contribution.row(n) != std::stoul(kept) + 1);
  // Its own person's list knows it all the same.
  for (const Recommended& one : LocalRecommender::load(*device.kept, "small")->top(test_items))
    RC_ASSERT(one.item != kept);
}

TEST(AnExchangeOfFederatedAls, RecommendsByARowThatIsSolvedForTheNewestVersion) {
  FakeCoordinator server(als_spec(test_items));
  TestDevice device(server);
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  const auto first = LocalRecommender::load(*device.kept, "small");
  ASSERT_TRUE(first.ok()) << first.error().message;
  expect_the_best(*first, slow_scores(server.task, server.master, device.history), device.history);
  // A version came, and the device died before it answered: the row it kept is of the version before.
  auto newer = std::make_shared<HeldModel>(**device.kept->model("small"));
  newer->rows = later_rows(newer->rows);
  newer->encoded = publish(newer->rows, v1::PRECISION_F32);
  newer->version = blob_hash(newer->encoded);
  ASSERT_TRUE(device.kept->keep_model("small", newer).ok());
  const auto later = LocalRecommender::load(*device.kept, "small");
  expect_the_best(*later, slow_scores(server.task, newer->rows, device.history), device.history);
  EXPECT_NE(later->top(1)[0].score, first->top(1)[0].score);
}

TEST(AnExchangeOfFederatedAls, ExplainsWhatItRecommends) {
  FakeCoordinator server(als_spec(test_items));
  TestDevice device(server);
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  const auto recommender = LocalRecommender::load(*device.kept, "small");
  const auto why = recommender->explain(recommender->top(1)[0].item, 3);
  ASSERT_TRUE(why.ok());
  EXPECT_EQ(why->bias, 0.0f);
  EXPECT_NEAR(why->score, why->personal, 1e-5);
  ASSERT_FALSE(why->because.empty());
  for (const NearItem& near : why->because)
    EXPECT_TRUE(std::binary_search(device.history.begin(), device.history.end(),
                                   ItemIndex{static_cast<std::uint32_t>(std::stoul(near.item))}));
}

TEST(AnExchangeOfFederatedAls, RefusesByNameWhatItDoesNotKnowAndWhatIsTooLarge) {
  FakeCoordinator server(als_spec(test_items));
  TestDevice device(server);
  server.twist_assignment = [](v1::Assignment& given) { given.mutable_task()->set_model("fedbetter"); };
  auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::refused_by_device);
  EXPECT_NE(next.report.why.find("'fedbetter'"), std::string::npos) << next.report.why;
  server.twist_assignment = [](v1::Assignment& given) {
    given.mutable_task()->set_factors(200);
    given.mutable_task()->set_items(10'000);
  };
  next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::refused_by_device);
  EXPECT_NE(next.report.why.find("an answer to it may be larger"), std::string::npos) << next.report.why;
  EXPECT_TRUE(server.contributions.empty());
  EXPECT_TRUE(device.ledger.empty());
}

}  // namespace
}  // namespace sotto::device::exchange_als_test
