#include "lab/study/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace sotto::lab {
namespace {

TEST(TaskPool, RunsEveryTaskOnceAlsoThoseThatTasksAdd) {
  for (const std::size_t threads : {1, 2, 5}) {
    TaskPool pool(threads);
    std::atomic<int> ran = 0;
    for (int n = 0; n < 20; ++n)
      pool.add([&](Executor&) {
        ++ran;
        pool.add([&](Executor&) { ++ran; });
      });
    pool.run();
    EXPECT_EQ(ran, 40);
  }
}

TEST(TaskPool, LoopsAreWholeWhoeverHelps) {
  TaskPool pool(4);
  std::vector<std::vector<int>> touched(6, std::vector<int>(100, 0));
  std::vector<std::size_t> widths(6);
  for (std::size_t task = 0; task < 6; ++task)
    pool.add([&, task](Executor& executor) {
      widths[task] = executor.threads();
      for (int again = 0; again < 30; ++again)
        executor.run(100, [&](std::size_t shard) { ++touched[task][shard]; });
    });
  pool.run();
  for (const auto& counts : touched)
    for (const int count : counts) EXPECT_EQ(count, 30);
  for (const std::size_t width : widths) {
    EXPECT_GE(width, 1u);
    EXPECT_LE(width, 4u);
  }
}

TEST(TaskPool, ALoneTaskGetsEveryThread) {
  TaskPool pool(3);
  std::size_t width = 0;
  pool.add([&](Executor& executor) { width = executor.threads(); });
  pool.run();
  EXPECT_EQ(width, 3u);
}

TEST(TaskPool, AShardThatThrowsIsToldToItsOwner) {
  TaskPool pool(3);
  bool told = false;
  pool.add([&](Executor& executor) {
    try {
      executor.run(50, [](std::size_t shard) {
        if (shard == 17) throw std::runtime_error("seventeen");
      });
    } catch (const std::runtime_error&) {
      told = true;
    }
  });
  pool.run();
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace sotto::lab
