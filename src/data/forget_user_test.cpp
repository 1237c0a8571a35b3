#include "data/forget_user.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/generate.h"
#include "data/split_io.h"

namespace sotto::data::forget_user_test {

TEST(ForgetUser, TheirIdAndInteractionsAreGoneAndNobodyElsesChange) {
  const Dataset dataset =
      generate_world({.users = 30, .items = 60, .mean_interactions = 12.0, .seed = 3}).value();
  const Split split = split_dataset(dataset, {.validation_share = 0.2}).value();
  const UserIndex gone{7};
  const Split rest = without_user(split, gone);
  EXPECT_FALSE(rest.users.find(split.users.name(gone.value)));
  EXPECT_EQ(rest.catalogue, split.catalogue);
  EXPECT_NE(rest.hash, split.hash);
  EXPECT_TRUE(has_forgotten(rest) && !has_forgotten(split));
  const auto same = [](auto a, auto b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    for (const auto part : {&Split::train, &Split::validation, &Split::test}) {
      if (user == gone.value)
        EXPECT_TRUE((rest.*part).of({user}).empty());
      else
        EXPECT_TRUE(same((rest.*part).of({user}), (split.*part).of({user})));
    }
    if (user == gone.value) continue;
    EXPECT_EQ(rest.users.name(user), split.users.name(user));
    EXPECT_TRUE(same(rest.train.ages_of({user}), split.train.ages_of({user})));
  }
  // It is a split like any other, also where an item was theirs alone; a second one finds another name.
  ASSERT_TRUE(load_split(save_split(rest), "s").ok());
  const Split fewer = without_user(rest, UserIndex{8});
  EXPECT_TRUE(fewer.users.find("forgotten-1") && fewer.users.find("forgotten-2"));
}

TEST(ForgetUser, AnItemThatOnlyTheyHadStaysWithNobody) {
  const Histories train({0, 2, 3}, {ItemIndex{0}, ItemIndex{1}, ItemIndex{0}});
  Split split;
  split.users.intern("a");
  split.users.intern("b");
  for (const char* item : {"x", "y"}) split.items.intern(item);
  split.catalogue = 2;
  split.train = train;
  split.validation = split.test = Histories(2);
  const Split rest = without_user(split, UserIndex{0});
  const auto loaded = load_split(save_split(rest), "s");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->train.interactions(), 1u);
  EXPECT_EQ(loaded->catalogue, 2u);
}

}  // namespace sotto::data::forget_user_test
