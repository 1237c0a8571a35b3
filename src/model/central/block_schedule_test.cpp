#include "model/central/block_schedule.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace sotto::model::block_schedule_test {
namespace {

TEST(BlockSchedule, GivesTheWishedRangeWhileItMayGoOn) {
  BlockSchedule board(3, 4);
  const auto stay = board.take(1);
  ASSERT_TRUE(stay);
  EXPECT_EQ(stay->range, 1u);
  EXPECT_EQ(stay->number, 0u);
  board.finish(*stay);
  // Its next stay takes over what range 2 holds, which has not begun: another range comes first.
  EXPECT_EQ(board.take(1)->range, 2u);
  EXPECT_EQ(board.take(1)->range, 0u);
  EXPECT_FALSE(board.take(1));
  EXPECT_FALSE(board.all_over());
}

TEST(BlockSchedule, OneThreadComesToTheEnd) {
  BlockSchedule board(5, 7);
  int taken = 0;
  for (std::uint32_t first = 0; !board.all_over(); first = (first * 3 + 1) % 5, ++taken) {
    const auto stay = board.take(first);
    ASSERT_TRUE(stay);
    board.finish(*stay);
  }
  EXPECT_EQ(taken, 35);
  EXPECT_FALSE(board.take(0));
  EXPECT_TRUE(BlockSchedule(3, 0).all_over());
}

// Ranges and item sets are plain numbers here: were two threads ever in one at once, or in the wrong order,
// the sums would differ from those of one thread.
std::vector<std::uint64_t> worked(std::size_t threads, std::uint32_t ranges, std::uint32_t stays) {
  BlockSchedule board(ranges, stays);
  std::vector<std::uint64_t> users(ranges, 1), items(ranges, 2);
  const auto work = [&](std::uint32_t first) {
    while (!board.all_over()) {
      const auto stay = board.take(first);
      if (!stay) {
        std::this_thread::yield();
        continue;
      }
      std::uint64_t& user = users[stay->range];
      std::uint64_t& item = items[(stay->range + stay->number) % ranges];
      for (int n = 0; n < 50; ++n) user = user * 31 + item, item = item * 17 + user;
      board.finish(*stay);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t n = 1; n < threads; ++n)
    others.emplace_back(work, static_cast<std::uint32_t>(n * ranges / threads));
  work(0);
  for (std::thread& other : others) other.join();
  users.insert(users.end(), items.begin(), items.end());
  return users;
}

TEST(BlockSchedule, AnyNumberOfThreadsDoesTheSame) {
  for (const std::uint32_t ranges : {2u, 3u, 8u}) {
    const auto one = worked(1, ranges, 400);
    for (const std::size_t threads : {2u, 3u, 8u}) EXPECT_EQ(worked(threads, ranges, 400), one);
  }
}

}  // namespace
}  // namespace sotto::model::block_schedule_test
