#include "device/consent_change.h"

#include <gtest/gtest.h>

namespace sotto::device::consent_change_test {
namespace {

// What was asked for apart from a level is asked anew of whoever joins anew.
TEST(WhoWithdraws, HasWithdrawnFromEvaluationToo) {
  PersonalPolicy policy;
  ASSERT_TRUE(choose_level(policy, "balanced").ok());
  ASSERT_TRUE(choose_evaluation(policy, "yes").ok());
  withdraw(policy);
  EXPECT_TRUE(policy.withdrawn);
  EXPECT_FALSE(policy.evaluation);
  ASSERT_TRUE(choose_level(policy, "open").ok());
  EXPECT_TRUE(policy.takes_part());
  EXPECT_FALSE(policy.evaluation);
  // So it is with what an earlier version left.
  policy.evaluation = policy.withdrawn = true;
  ASSERT_TRUE(choose_level(policy, "open").ok());
  EXPECT_FALSE(policy.evaluation);
  // A pause is no withdrawal, nor is another level.
  ASSERT_TRUE(choose_evaluation(policy, "yes").ok());
  policy.paused = true;
  ASSERT_TRUE(end_pause(policy).ok());
  ASSERT_TRUE(choose_level(policy, "careful").ok());
  EXPECT_TRUE(policy.evaluation);
}

}  // namespace
}  // namespace sotto::device::consent_change_test
