// sotto contexts, and protocols for contexts that people draw.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

TEST(CliContexts, a_run_without_contexts_says_so) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "40", "--items", "40", "--out", "w"}).code, 0);
  const Words train{"train", "--data", "w", "--model", "fpl", "--epochs", "1", "--factors", "2"};
  ASSERT_EQ(shop.sotto(joined(train, {"--out", "run"})).code, 0);
  const Outcome none = shop.sotto({"contexts", "--run", "run", "--user", "person-00007"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("looks at no contexts"), std::string::npos) << none.err;
  const Outcome udcp = shop.sotto(joined(train, {"--udcp", "full=0.5,none=0.5"}));
  EXPECT_EQ(udcp.code, 2);
  EXPECT_NE(udcp.err.find("leave --udcp out"), std::string::npos) << udcp.err;
  const Outcome sum = shop.sotto(joined(train, {"--udcp", "full=0.5,none=0.2"}));
  EXPECT_EQ(sum.code, 2);
  EXPECT_NE(sum.err.find("add up to 0.7"), std::string::npos) << sum.err;
}

}  // namespace
}  // namespace sotto::cli
