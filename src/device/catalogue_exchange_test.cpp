// A task whose catalogue says more of its items than their names: fetched once, and the person's rules hold.
#include <gtest/gtest.h>

#include "device/testing/test_device.h"

namespace sotto::device::catalogue_exchange_test {
namespace {

// Every fourth item is of the category Four, all are Any.
TaskCatalogue numbers(bool with_categories) {
  TaskCatalogue made;
  for (std::uint32_t item = 0; item < test_items; ++item) {
    made.names.intern(std::to_string(item));
    made.titles.push_back("Title " + std::to_string(item));
    if (with_categories) made.categories.emplace_back(item % 4 == 0 ? "Any|Four" : "Any");
  }
  return made;
}

void give(FakeCoordinator& server, const TaskCatalogue& catalogue) {
  *server.spec.mutable_catalogue() = server.keep(pack_catalogue(encode_catalogue(catalogue)));
}

PersonalPolicy keeping(const char* category) {
  PersonalPolicy policy;
  policy.categories[category] = {ConsentAnswer::never};
  return policy;
}

TEST(ACatalogueOfATask, IsPinnedAndFetchedOnce) {
  FakeCoordinator server(small_task(test_items));
  give(server, numbers(true));
  TestDevice device(server);
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  const auto fetched = server.fetched_bytes;
  EXPECT_GT(fetched, 0u);
  server.round = 1;
  ASSERT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_EQ(server.fetched_bytes, fetched);
  const auto known = device.kept->catalogue(server.spec.catalogue().hash());
  ASSERT_TRUE(known.ok() && *known != nullptr);
  EXPECT_EQ((*known)->title(3), "Title 3");
  // Another catalogue is another task.
  give(server, numbers(false));
  server.round = 2;
  EXPECT_EQ(device.run(server).report.ending, Ending::refused_by_device);
}

TEST(ACatalogueOfATask, LetsRulesOfCategoriesHold) {
  FakeCoordinator server(small_task(test_items));
  give(server, numbers(true));
  TestDevice device(server);
  device.policy = keeping("Four");
  std::set<std::string> sent;
  for (server.round = 0; server.round < 8; ++server.round) {
    ASSERT_EQ(device.run(server).report.ending, Ending::answered);
    sent.insert(device.ledger.back().items.begin(), device.ledger.back().items.end());
  }
  EXPECT_FALSE(sent.empty());
  for (const std::string& item : sent) EXPECT_NE(std::stoi(item) % 4, 0) << item;
  // A category that no item has keeps nothing back; one that all have keeps all.
  device.policy = keeping("Five");
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  device.policy = keeping("Any");
  ++server.round;
  EXPECT_EQ(device.run(server).report.ending, Ending::kept_quiet);
}

TEST(ACatalogueOfATask, WithoutCategoriesARuleForOneStopsTheWork) {
  FakeCoordinator server(small_task(test_items));
  give(server, numbers(false));
  TestDevice device(server);
  device.policy = keeping("Four");
  const auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::kept_quiet);
  EXPECT_NE(next.report.why.find("does not say what is in which"), std::string::npos) << next.report.why;
  EXPECT_TRUE(server.contributions.empty());
  EXPECT_TRUE(device.ledger.empty());
}

}  // namespace
}  // namespace sotto::device::catalogue_exchange_test
