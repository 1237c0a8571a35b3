#include "base/executor.h"

#include <gtest/gtest.h>

#include <vector>

namespace sotto::base::executor_test {

TEST(SerialExecutor, RunsEachShardOnceInOrder) {
  SerialExecutor executor;
  std::vector<std::size_t> seen;
  executor.run(5, [&](std::size_t shard) { seen.push_back(shard); });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  executor.run(0, [&](std::size_t shard) { seen.push_back(shard); });
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(executor.threads(), 1u);
}

}  // namespace sotto::base::executor_test
