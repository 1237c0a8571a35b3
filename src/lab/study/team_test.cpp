#include "lab/study/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace sotto {
namespace {

TEST(Team, RunsEveryTaskOnceAlsoThoseThatTasksAdd) {
  for (const std::size_t threads : {1, 2, 5}) {
    Team team(threads);
    std::atomic<int> ran = 0;
    for (int n = 0; n < 20; ++n)
      team.add([&](Executor&) {
        ++ran;
        team.add([&](Executor&) { ++ran; });
      });
    team.run();
    EXPECT_EQ(ran, 40);
  }
}

TEST(Team, LoopsAreWholeWhoeverHelps) {
  Team team(4);
  std::vector<std::vector<int>> touched(6, std::vector<int>(100, 0));
  std::vector<std::size_t> widths(6);
  for (std::size_t task = 0; task < 6; ++task)
    team.add([&, task](Executor& executor) {
      widths[task] = executor.threads();
      for (int again = 0; again < 30; ++again)
        executor.run(100, [&](std::size_t shard) { ++touched[task][shard]; });
    });
  team.run();
  for (const auto& counts : touched)
    for (const int count : counts) EXPECT_EQ(count, 30);
  for (const std::size_t width : widths) {
    EXPECT_GE(width, 1u);
    EXPECT_LE(width, 4u);
  }
}

TEST(Team, ALoneTaskGetsEveryThread) {
  Team team(3);
  std::size_t width = 0;
  team.add([&](Executor& executor) { width = executor.threads(); });
  team.run();
  EXPECT_EQ(width, 3u);
}

TEST(Team, AShardThatThrowsIsToldToItsOwner) {
  Team team(3);
  bool told = false;
  team.add([&](Executor& executor) {
    try {
      executor.run(50, [](std::size_t shard) {
        if (shard == 17) throw std::runtime_error("seventeen");
      });
    } catch (const std::runtime_error&) {
      told = true;
    }
  });
  team.run();
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace sotto
