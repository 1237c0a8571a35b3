#include "fed/criteria/example_facts.h"

#include <gtest/gtest.h>

namespace sotto::fed::example_facts_test {

// Eight examples of three classes; two devices, and one that holds nothing.
struct World {
  Examples examples;
  Dealt dealt{{{{0, 1, 2, 5}, {6}, {7}}, {{3, 4}, {}, {}}, {}}};
  World() {
    examples.classes = 3;
    examples.labels = {0, 0, 1, 2, 2, 0, 1, 1};
    examples.marks = {1, 0, 1, 1, 1, 0, 1, 1};
  }
};

TEST(ExampleFacts, CountTheTrainingHand) {
  const World world;
  const ExampleFacts facts(world.examples, world.dealt);
  const DeviceFacts first = facts.of({0});
  EXPECT_EQ(first.records, 4u);
  EXPECT_EQ(first.most_records, 4u);
  EXPECT_EQ(first.of_class, (std::vector<std::uint32_t>{3, 1, 0}));
  EXPECT_EQ(first.marked, 2u);
  EXPECT_EQ(first.trust, 1.0);
  EXPECT_EQ(facts.of({1}).of_class, (std::vector<std::uint32_t>{0, 0, 2}));
  EXPECT_EQ(facts.of({1}).marked, 2u);
  EXPECT_EQ(facts.of({2}).records, 0u);
  EXPECT_EQ(ExampleFacts(world.examples, world.dealt, 9).of({0}).most_records, 9u);
}

TEST(ExampleFacts, CountRoundsThatWentByWithoutTheDevice) {
  const World world;
  ExampleFacts facts(world.examples, world.dealt);
  EXPECT_EQ(facts.of({0}).rounds_since, 0u);
  const std::vector<UserIndex> first{{0}}, both{{0}, {1}}, second{{1}};
  facts.note_round(0, first);
  EXPECT_EQ(facts.of({0}).rounds_since, 0u);
  EXPECT_EQ(facts.of({1}).rounds_since, 1u);
  facts.note_round(1, both);
  EXPECT_EQ(facts.of({1}).rounds_since, 0u);
  facts.note_round(2, second);
  facts.note_round(3, second);
  EXPECT_EQ(facts.of({0}).rounds_since, 2u);
  EXPECT_EQ(facts.of({2}).rounds_since, 4u);
}

TEST(ExampleFacts, WhatTheyDoNotTellIsRefused) {
  World world;
  const auto words = [&](const char* order) {
    const Status status = check_measurable(*parse_order(order), world.examples);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_EQ(words("DS>LD>CB>IS>MW>MWL>RC"), "");
  EXPECT_NE(words("DS>NV").find("do not tell novelty"), std::string::npos);
  EXPECT_NE(words("trust").find("do not tell trust"), std::string::npos);
  world.examples.marks.clear();
  EXPECT_NE(words("DS>IS").find("quality"), std::string::npos);
  EXPECT_EQ(words("DS>LD"), "");
}

}  // namespace sotto::fed::example_facts_test
