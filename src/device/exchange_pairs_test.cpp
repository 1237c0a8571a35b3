// A device in a task whose model is made of pairs: what it fetches and sends, and what it knows when.
#include <gtest/gtest.h>

#include "device/recommend.h"
#include "device/testing/test_device.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/wire/packed_contribution.h"

namespace sotto::device::exchange_pairs_test {
namespace {

v1::TaskSpec pair_spec() {
  v1::TaskSpec spec = usual_spec(feditemknn_task, test_items);
  spec.set_name("small");
  spec.set_seed(7);
  return spec;
}

TEST(AnExchangeOfPairs, SendsWhichItemsThereAreAndFetchesNoModelForIt) {
  FakeCoordinator server(pair_spec());
  TestDevice device(server);
  const auto next = device.run(server);
  ASSERT_EQ(next.report.ending, Ending::answered) << next.report.why;
  EXPECT_EQ(server.fetched_bytes, 0u);
  ASSERT_EQ(server.contributions.size(), 1u);
  const TaskShape::Sent sent = server.task.shape().sent;
  const auto said = unpack_contribution(
      *server.contributions.begin(),
      {.catalogue = sent.rows, .width = sent.width, .most_rows = sent.most_rows, .alike = sent.alike});
  ASSERT_TRUE(said.ok());
  ASSERT_EQ(said->contribution.size(), device.history.size());
  for (std::size_t n = 0; n < device.history.size(); ++n)
    EXPECT_EQ(said->contribution.row(n), device.history[n].value);
  ASSERT_EQ(device.ledger.size(), 1u);
  EXPECT_EQ(device.ledger[0].items.size(), device.history.size());
  EXPECT_NE(LocalRecommender::load(*device.kept, "small").error().message.find("run an exchange first"),
            std::string::npos);
  // It holds no version, and does not say that it holds one.
  v1::CheckInRequest asked;
  ASSERT_TRUE(asked.ParseFromString(server.last_check_in));
  (void)device.run(server);
  ASSERT_TRUE(asked.ParseFromString(server.last_check_in));
  EXPECT_TRUE(asked.held().empty());
}

// The model comes later, without work; a task that changed meanwhile is refused.
TEST(AnExchangeOfPairs, TakesTheModelAsNews) {
  FakeCoordinator server(pair_spec());
  TestDevice device(server);
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  const std::size_t most = server.task.shape().width / 2;
  for (std::uint32_t row = 0; row < test_items; ++row) {  // to the next one
    server.master.row(row)[0] = static_cast<float>((row + 1) % test_items);
    server.master.row(row)[most] = 1.0f + static_cast<float>(row);
  }
  server.publish_master();
  server.brings_news = true;
  auto next = device.run(server);
  ASSERT_EQ(next.report.ending, Ending::no_work) << next.report.why;
  EXPECT_EQ(next.report.task, "small");
  EXPECT_EQ(next.report.download, Download::full);
  EXPECT_EQ(server.contributions.size(), 1u);
  EXPECT_EQ(device.ledger.size(), 1u);
  const auto known = LocalRecommender::load(*device.kept, "small");
  ASSERT_TRUE(known.ok()) << known.error().message;
  const Recommended best = known->top(1)[0];
  const auto why = known->explain(best.item, 9);
  ASSERT_EQ(why->because.size(), 1u);
  EXPECT_EQ(std::stoul(why->because[0].item), (std::stoul(best.item) + 1) % test_items);
  EXPECT_EQ(why->because[0].weight, best.score);

  server.twist_assignment = [](v1::Assignment& news) {
    news.mutable_task()->mutable_options(0)->set_whole(7);
  };
  next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::refused_by_device);
  EXPECT_NE(next.report.why.find("not what it was"), std::string::npos) << next.report.why;
  server.twist_assignment = [](v1::Assignment& news) { news.set_version(std::string(32, 'x')); };
  EXPECT_EQ(device.run(server).report.ending, Ending::refused_by_device) << "another model than was named";
  EXPECT_EQ(LocalRecommender::load(*device.kept, "small")->top(1)[0].score, best.score);
}

// What a person asks of a task holds for its model too, and what is of no use is not fetched. Neither keeps
// the device from coming back at the usual time.
TEST(AnExchangeOfPairs, LeavesNewsThatItDoesNotWant) {
  FakeCoordinator server(pair_spec());
  TestDevice device(server);
  device.policy.secure_only = true;
  server.brings_news = true;
  auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::no_work);
  EXPECT_NE(next.report.why.find("its sums are plain"), std::string::npos) << next.report.why;
  EXPECT_EQ(next.wait_ms, 1);
  FakeCoordinator of_state(small_task(test_items));  // whoever has no private row cannot ask its model
  TestDevice late(of_state);
  of_state.brings_news = true;
  next = late.run(of_state);
  EXPECT_EQ(next.report.ending, Ending::no_work);
  EXPECT_EQ(next.wait_ms, 1);
  EXPECT_EQ(server.fetched_bytes + of_state.fetched_bytes, 0u);
  EXPECT_EQ(*device.kept->model("small"), nullptr);
  EXPECT_EQ(*late.kept->model("small"), nullptr);
}

}  // namespace
}  // namespace sotto::device::exchange_pairs_test
