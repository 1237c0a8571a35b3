#include "fed/wire/catalogue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace sotto::fed::catalogue_test {

bool reads(std::string_view names, std::size_t most = 100) {
  return read_catalogue(pack_catalogue(names), most).ok();
}

RC_GTEST_PROP(Catalogue, ComesBackInItsOrder, (const std::set<std::uint32_t>& numbers)) {
  std::string text;
  std::vector<std::string> names;
  for (const std::uint32_t number : numbers) {
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(number % (names.size() + 1)),
                 "Item (" + std::to_string(number) + ") é");
  }
  for (const std::string& name : names) text += name + "\n";
  const auto table = read_catalogue(pack_catalogue(text), names.size());
  RC_ASSERT(table.ok());
  RC_ASSERT((*table)->size() == names.size());
  for (std::uint32_t n = 0; n < names.size(); ++n) RC_ASSERT((*table)->name(n) == names[n]);
}

TEST(Catalogue, RefusesWhatItsLawForbids) {
  EXPECT_TRUE(reads("a\nb\n"));
  EXPECT_TRUE(reads("a\nb\n", 2));
  EXPECT_FALSE(reads("a\nb\n", 1));
  EXPECT_TRUE(reads("a\nb"));
  EXPECT_FALSE(reads("a\nb", 1));
  EXPECT_FALSE(reads("a\n\nb\n"));
  EXPECT_FALSE(reads("a\nb\na\n"));
  EXPECT_FALSE(reads(std::string(most_item_name + 1, 'a') + "\n"));
  EXPECT_TRUE(reads(std::string(most_item_name, 'a') + "\n"));
  EXPECT_FALSE(read_catalogue("no frame of zstd", 100).ok());
  // Much in little: what does not fit so many names is not even unpacked.
  EXPECT_FALSE(reads(std::string(std::size_t{1} << 24, 'a') + "\n", 2));
}

}  // namespace sotto::fed::catalogue_test
