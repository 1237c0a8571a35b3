#include "data/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace sotto {
namespace {

RC_GTEST_PROP(IdTable, EqualsAMap, (const std::vector<std::string>& names)) {
  IdTable table;
  std::map<std::string, std::uint32_t> expected;
  for (const std::string& name : names) {
    const auto next = static_cast<std::uint32_t>(expected.size());
    const std::uint32_t index = expected.try_emplace(name, next).first->second;
    RC_ASSERT(table.intern(name) == index);
  }
  RC_ASSERT(table.size() == expected.size());
  for (const auto& [name, index] : expected) {
    RC_ASSERT(table.find(name).value() == index);
    RC_ASSERT(table.name(index) == name);
  }
  RC_ASSERT(!table.find("a name that is surely not among them").has_value());
}

TEST(IdTable, PicksInTheGivenOrder) {
  IdTable table;
  for (int k = 0; k < 100; ++k) table.intern(std::to_string(k));
  const std::vector<std::uint32_t> wanted{99, 0, 42};
  const IdTable picked = table.picked(wanted);
  EXPECT_EQ(picked.size(), 3u);
  EXPECT_EQ(picked.name(0), "99");
  EXPECT_EQ(picked.find("42"), 2u);
  EXPECT_FALSE(picked.find("1").has_value());
  EXPECT_FALSE(IdTable().find("x").has_value());
}

}  // namespace
}  // namespace sotto
