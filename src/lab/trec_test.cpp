#include "lab/trec.h"

#include <gtest/gtest.h>

#include <sstream>

#include "data/loader.h"

namespace sotto::lab {
namespace {

Split world(const std::string& item) {
  const auto dataset = [](const std::string& text) {
    const TextSource source{"part", text};
    return load_interactions(std::span(&source, 1)).value();
  };
  return join_given_parts(dataset("user\titem\nann\t" + item + "\nbob\tb\nbob\tc\n"), {},
                          dataset("user\titem\nann\tb\nann\tlate\nbob\t" + item + "\n"))
      .value();
}

TEST(Trec, ScoresFallStrictlyAndStayNearWhatTheyWere) {
  const Split split = world("a");
  const std::vector<ScoredItem> list{{{1}, 0.5f}, {{2}, 0.5f}, {{0}, 0.5f}};
  std::istringstream lines(trec_run_lines("ann", list, split).value());
  std::string user, q0, item, rank, tag;
  float score = 0.0f, before = 1.0f;
  for (std::size_t n = 0; n < 3; ++n) {
    ASSERT_TRUE(lines >> user >> q0 >> item >> rank >> score >> tag);
    EXPECT_EQ(user + q0 + rank, "annQ0" + std::to_string(n + 1));
    EXPECT_EQ(item, split.items.name(list[n].item.value));
    EXPECT_LT(score, before);
    EXPECT_FLOAT_EQ(score, 0.5f);
    before = score;
  }
  const std::vector<ScoredItem> distinct{{{1}, 2.0f}, {{2}, -1.25f}};
  EXPECT_EQ(trec_run_lines("ann", distinct, split).value(), "ann Q0 b 1 2 sotto\nann Q0 c 2 -1.25 sotto\n");
}

TEST(Trec, QrelsHoldEveryItemOfThePart) {
  const Split split = world("a");
  const std::vector<UserIndex> users{{0}, {1}};
  EXPECT_EQ(trec_qrels(split, split.test, users).value(), "ann 0 b 1\nann 0 late 1\nbob 0 a 1\n");
  EXPECT_EQ(trec_qrels(split, split.test, std::span(users).last(1)).value(), "bob 0 a 1\n");
}

TEST(Trec, IdsWithBlanksAreRefused) {
  const Split split = world("a film");
  const std::vector<ScoredItem> list{{{0}, 1.0f}};
  const auto run = trec_run_lines("bob", list, split);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message.find("film"), std::string::npos);
  EXPECT_FALSE(trec_run_lines("ann bob", std::span(list).first(0), split).ok());
  EXPECT_FALSE(trec_qrels(split, split.test, std::vector<UserIndex>{{1}}).ok());
}

}  // namespace
}  // namespace sotto::lab
