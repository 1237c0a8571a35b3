#include "base/nearest_word.h"

#include <gtest/gtest.h>

namespace sotto::base::nearest_word_test {

TEST(NearestWord, CountsTheLettersThatDiffer) {
  EXPECT_EQ(letters_between("kitten", "sitting"), 3u);  // Levenshtein's example
  EXPECT_EQ(letters_between("", "abc"), 3u);
  EXPECT_EQ(letters_between("same", "same"), 0u);
}

TEST(NearestWord, OffersTheNearestOrNone) {
  NearestWord nearest("Horor");
  for (const char* known : {"Comedy", "Horror", "War"}) nearest.look_at(known);
  EXPECT_EQ(nearest.word(), "Horror");
  NearestWord begun("Docu");
  for (const char* known : {"Drama", "Documentary"}) begun.look_at(known);
  EXPECT_EQ(begun.word(), "Documentary");
  NearestWord far("zzzzzz");
  far.look_at("Drama");
  EXPECT_TRUE(far.word().empty());
}

}  // namespace sotto::base::nearest_word_test
