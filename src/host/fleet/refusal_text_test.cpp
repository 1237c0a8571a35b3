#include "host/fleet/refusal_text.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

namespace sotto::host::refusal_text_test {
namespace {

TEST(RefusalText, EachCodeHasWordsOfItsOwnWithARemedyOrAReason) {
  std::set<std::string> seen{refusal_text(static_cast<v1::Refusal>(v1::Refusal_MAX + 1))};
  for (int number = v1::REFUSAL_NONE + 1; number <= v1::Refusal_MAX; ++number) {
    const std::string text = refusal_text(static_cast<v1::Refusal>(number));
    EXPECT_TRUE(seen.insert(text).second) << number << ": " << text;
    EXPECT_TRUE(text.find(": ") != std::string::npos || text.find(", ") != std::string::npos) << text;
    EXPECT_EQ(text.find("REFUSAL"), std::string::npos) << text;
  }
}

TEST(RefusalText, LinesCountEachCodeTheMostFrequentFirst) {
  EXPECT_EQ(refusal_lines({}), "");
  const std::string text =
      refusal_lines({{v1::REFUSAL_BUSY, 2}, {v1::REFUSAL_TOO_LATE, 1234}, {v1::Refusal_MAX + 1, 1}});
  const std::string late = "      1,234  " + refusal_text(v1::REFUSAL_TOO_LATE) + " (REFUSAL_TOO_LATE)\n";
  const std::string busy = "          2  " + refusal_text(v1::REFUSAL_BUSY) + " (REFUSAL_BUSY)\n";
  EXPECT_TRUE(text.starts_with(late + busy + "          1  ")) << text;
  EXPECT_NE(text.find(fmt::format("({})\n", v1::Refusal_MAX + 1)), std::string::npos) << text;
}

}  // namespace
}  // namespace sotto::host::refusal_text_test
