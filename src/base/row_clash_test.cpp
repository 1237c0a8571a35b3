#include "base/row_clash.h"

#include <gtest/gtest.h>

namespace sotto::base::row_clash_test {

TEST(RowClash, StepsThatShareAUserOrARowAreFound) {
  RowClash clash;
  // More starts than a byte counts: neither old steps nor rows that were never there may clash.
  for (std::uint32_t repeat = 0; repeat < 600; ++repeat) {
    clash.start();
    ASSERT_TRUE(clash.add(3 + repeat, 100 + repeat, 2000 + repeat)) << repeat;
    ASSERT_TRUE(clash.add(1, 10, 20)) << repeat;
    ASSERT_TRUE(clash.add(2, 11, 21)) << repeat;
  }
  EXPECT_FALSE(clash.add(1, 30, 40));  // the first step's user
  EXPECT_FALSE(clash.add(5, 10, 41));  // its positive row
  EXPECT_FALSE(clash.add(6, 31, 21));  // the second's negative row
  EXPECT_FALSE(clash.add(7, 20, 42));  // a negative row comes again as a positive one
  clash.start();
  EXPECT_TRUE(clash.add(1, 10, 20));
}

}  // namespace sotto::base::row_clash_test
