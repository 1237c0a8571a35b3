#include "data/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace sotto::data::ids_test {

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

// The hash is part of a file format: these places must never change.
TEST(IdTable, PlacesAreForEver) {
  IdTable table;
  for (const char* name : {"", "a", "person-00042", "eightlet", "nine letters and more than sixteen"})
    table.intern(name);
  std::vector<std::size_t> places(table.size());
  const auto slots = table.plain_slots();
  for (std::size_t slot = 0; slot < slots.size(); ++slot)
    if (slots[slot] != 0) places[slots[slot] - 1] = slot;
  EXPECT_EQ(slots.size(), 16u);
  EXPECT_EQ(places, (std::vector<std::size_t>{1, 13, 0, 15, 12}));
}

TEST(IdTable, RefusesArraysThatLookupsCouldLeave) {
  IdTable table;
  for (const char* name : {"a", "bc", "d"}) table.intern(name);
  const IdArrays good = table.arrays();
  EXPECT_TRUE(IdTable::lawful(good));
  EXPECT_TRUE(IdTable::lawful(IdTable().arrays()));
  const auto with_slots = [&](std::vector<std::uint32_t> slots) {
    return IdTable::lawful({good.letters, good.ends, slots});
  };
  std::vector<std::uint32_t> slots(good.slots.begin(), good.slots.end());
  const auto taken = std::find(slots.begin(), slots.end(), 1u);
  EXPECT_TRUE(with_slots(slots));
  *taken = 4;  // a name that is not there
  EXPECT_FALSE(with_slots(slots));
  *taken = 0;  // one that cannot be found
  EXPECT_FALSE(with_slots(slots));
  EXPECT_FALSE(with_slots(std::vector<std::uint32_t>(16, 1)));  // no free slot ends a search
  EXPECT_FALSE(with_slots({0, 1, 2, 3}));
  const auto with_ends = [&](std::vector<std::uint64_t> ends) {
    return IdTable::lawful({good.letters, ends, good.slots});
  };
  EXPECT_TRUE(with_ends({0, 1, 3, 4}));
  EXPECT_FALSE(with_ends({0, 3, 1, 4}));
  EXPECT_FALSE(with_ends({0, 1, 3, 5}));
  EXPECT_FALSE(with_ends({1, 1, 3, 4}));
  EXPECT_FALSE(with_ends({}));
}

RC_GTEST_PROP(IdTable, RoomInAdvanceChangesNothing, (const std::vector<std::string>& names)) {
  IdTable grown, roomy;
  roomy.reserve(1000, 10);
  for (const std::string& name : names) RC_ASSERT(grown.intern(name) == roomy.intern(name));
  RC_ASSERT(roomy.plain_slots() == grown.plain_slots());
  const auto slots = grown.arrays().slots;
  RC_ASSERT(std::equal(slots.begin(), slots.end(), grown.plain_slots().begin()));
  RC_ASSERT(IdTable::lawful(grown.arrays()));
}

}  // namespace sotto::data::ids_test
