#include "data/item_labels.h"

#include <gtest/gtest.h>

namespace sotto::data::item_labels_test {

using Lines = std::vector<std::string>;

Result<ItemLabels> load(std::string_view text) { return load_item_labels({"names.txt", text}); }

TEST(ItemLabels, ReadsMoviesDat) {
  const auto labels = load("1::Caf\xE9 Noir (1995)::Drama|Crime\n2::Moonrise (1996)::Comedy\n");
  ASSERT_TRUE(labels.ok()) << labels.error().message;
  EXPECT_EQ(labels->names, (Lines{"Café Noir (1995)", "Moonrise (1996)"}));
  EXPECT_EQ(labels->categories, (Lines{"Drama|Crime", "Comedy"}));
}

TEST(ItemLabels, ReadsGenreFlags) {
  const auto labels = load(
      "1|Moonrise (1995)|01-Jan-1995||http://example.org/1|0|0|0|1|1|1|0|0|0|0|0|0|0|0|0|0|0|0|0\n"
      "2|Sunset (1995)|01-Jan-1995||http://example.org/2|0|1|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|1\n");
  ASSERT_TRUE(labels.ok()) << labels.error().message;
  EXPECT_EQ(labels->names, (Lines{"Moonrise (1995)", "Sunset (1995)"}));
  EXPECT_EQ(labels->categories, (Lines{"Animation|Children's|Comedy", "Action|Western"}));
}

TEST(ItemLabels, ReadsCsvWithHeaderAndQuotes) {
  const auto labels = load("movieId,title,genres\r\n11,\"River, The (1995)\",Drama\r\n12,Hill,Comedy\r\n");
  ASSERT_TRUE(labels.ok()) << labels.error().message;
  EXPECT_EQ(labels->names, (Lines{"River, The (1995)", "Hill"}));
  EXPECT_EQ(labels->items.name(0), "11");
}

TEST(ItemLabels, ReadsPlainColumns) {
  const auto two = load("a\tFirst\nb\tSecond\na\tAgain\n");
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_EQ(two->names, (Lines{"First", "Second"}));  // an item's first line counts
  EXPECT_TRUE(two->categories.empty());
  const auto shuffled = load("category\tname\titem_id\nBar\tThe Owl\tv1\n");
  ASSERT_TRUE(shuffled.ok());
  EXPECT_EQ(shuffled->names, (Lines{"The Owl"}));
  EXPECT_EQ(shuffled->categories, (Lines{"Bar"}));
  EXPECT_EQ(shuffled->items.name(0), "v1");
}

TEST(ItemLabels, AttachById) {
  Dataset dataset;
  for (const char* id : {"9", "a", "b"}) dataset.items.intern(id);
  dataset.item_categories = {"kept", "old", "old"};
  const auto labels = load("b,Second,New\na,First,\nz,Other,X\n");
  ASSERT_TRUE(labels.ok());
  EXPECT_EQ(attach_item_labels(*labels, dataset), 2u);
  EXPECT_EQ(dataset.item_names, (Lines{"", "First", "Second"}));
  EXPECT_EQ(dataset.item_categories, (Lines{"kept", "old", "New"}));
}

TEST(ItemLabels, RefusesBadFiles) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "empty"},
      {"just words\nmore words\n", "no recognisable columns"},
      {"1::A::x\n2::B\n", "line 2: 2 columns where 3"},
      {"1,A\n,B\n", "line 2: the item id is empty"},
      {"1,A\n2,\"B\n", "line 2: a quoted field"},
      {"item,name\n", "names no items"},
      {"alone\nb\tSecond\nc\tThird\n", "one column where item and name"},
      {"1,2,3,4,5\n", "5 columns and no header"},
  };
  for (const auto& [text, words] : cases) {
    const auto labels = load(text);
    ASSERT_FALSE(labels.ok()) << text;
    EXPECT_EQ(labels.error().code, Code::bad_input);
    EXPECT_NE(labels.error().message.find(words), std::string::npos) << labels.error().message;
    EXPECT_NE(labels.error().message.find("names.txt"), std::string::npos);
  }
}

}  // namespace sotto::data::item_labels_test
