// Tasks whose models learn from what their catalogue says: a person's rules for features hold, reasons are
// told in words, and a catalogue that is not the task's stops the work.
#include <gtest/gtest.h>

#include "device/recommend.h"
#include "device/testing/test_device.h"
#include "fed/models/testing/usual_spec.h"

namespace sotto::device::known_exchange_test {
namespace {

TaskCatalogue described() {
  TaskCatalogue made;
  for (std::uint32_t item = 0; item < test_items; ++item) made.names.intern(std::to_string(item));
  made.features = usual_knowledge(test_items).features;
  return made;
}

void give(FakeCoordinator& server, const TaskCatalogue& catalogue) {
  *server.spec.mutable_catalogue() = server.keep(pack_catalogue(encode_catalogue(catalogue)));
}

v1::TaskSpec kgflex_spec() {
  v1::TaskSpec spec = usual_spec(kgflex_task, test_items);
  spec.set_name("small");
  spec.set_seed(7);
  return spec;
}

Contribution only_one_of(const FakeCoordinator& server) {
  const TaskShape::Sent sent = server.task.shape().sent;
  const auto message = unpack_contribution(
      *server.contributions.begin(),
      {.catalogue = sent.rows, .width = sent.width, .most_rows = sent.most_rows, .alike = sent.alike});
  EXPECT_TRUE(message.ok());
  return message->contribution;
}

TEST(ATaskOfFeatures, IsTrainedAndItsReasonsAreFeaturesInWords) {
  FakeCoordinator server(kgflex_spec());
  give(server, described());
  TestDevice device(server);
  for (server.round = 0; server.round < 3; ++server.round)
    ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_FALSE(device.ledger.back().items.empty());
  const auto told = LocalRecommender::load(*device.kept, "small");
  ASSERT_TRUE(told.ok()) << told.error().message;
  EXPECT_EQ(told->top(5).size(), 5u);
  bool any = false;
  for (std::uint32_t item = 0; item < test_items; ++item) {
    const auto why = told->explain(std::to_string(item), 3);
    ASSERT_TRUE(why.ok());
    for (const NearItem& one : why->because) {
      any = true;
      EXPECT_TRUE(one.is_feature);
      EXPECT_NE(in_words(*why).find("Of what it is, these weigh most with you:\n  " + why->because[0].item),
                std::string::npos)
          << in_words(*why);
    }
  }
  EXPECT_TRUE(any);
}

TEST(ATaskOfFeatures, LetsRulesOfPredicatesHold) {
  const TaskCatalogue catalogue = described();
  FakeCoordinator server(kgflex_spec());
  give(server, catalogue);
  TestDevice device(server);
  const auto has_is = [&] {
    const Contribution made = only_one_of(server);
    for (std::size_t n = 0; n < made.size(); ++n)
      if (catalogue.features->predicate({made.row(n)}) == "is") return true;
    return false;
  };
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_TRUE(has_is());
  device.policy.predicates["is"] = {ConsentAnswer::never};
  server.round = 1;
  server.contributions.clear();
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_GT(only_one_of(server).size(), 0u);
  EXPECT_FALSE(has_is());
}

TEST(ATaskOfFeatures, WithAnotherCatalogueStopsTheWork) {
  FakeCoordinator server(kgflex_spec());
  TaskCatalogue bare = described();
  bare.features = nullptr;
  give(server, bare);
  TestDevice device(server);
  const auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::kept_quiet);
  EXPECT_NE(next.report.why.find("does not have them"), std::string::npos) << next.report.why;
  EXPECT_TRUE(server.contributions.empty());
  EXPECT_TRUE(device.ledger.empty());
}

}  // namespace
}  // namespace sotto::device::known_exchange_test
