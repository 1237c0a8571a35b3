#include "fed/wire/catalogue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/compression.h"

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
  RC_ASSERT((*table)->names.size() == names.size());
  for (std::uint32_t n = 0; n < names.size(); ++n) RC_ASSERT((*table)->names.name(n) == names[n]);
  RC_ASSERT(encode_catalogue(**table) == text);
}

TEST(Catalogue, RefusesWhatItsLawForbids) {
  EXPECT_TRUE(reads("a\nb\n"));
  EXPECT_TRUE(reads("a\nb\n", 2));
  EXPECT_FALSE(reads("a\nb\n", 1));
  EXPECT_TRUE(reads("a\nb"));
  EXPECT_FALSE(reads("a\nb", 1));
  EXPECT_FALSE(reads("a\n\nb\n"));
  EXPECT_FALSE(reads("a\nb\na\n"));
  EXPECT_FALSE(reads("a\na\n"));  // the last one again
  EXPECT_FALSE(reads(std::string(most_item_name + 1, 'a') + "\n"));
  EXPECT_TRUE(reads(std::string(most_item_name, 'a') + "\n"));
  EXPECT_FALSE(read_catalogue("no frame of zstd", 100).ok());
  // Much in little: what does not fit so many names is not even unpacked.
  EXPECT_FALSE(reads(std::string(std::size_t{1} << 24, 'a') + "\n", 2));
}

// Everything that there can be, of three items.
TaskCatalogue whole() {
  TaskCatalogue made;
  for (const char* name : {"1", "2", "3"}) made.names.intern(name);
  made.titles = {"Alien", "", "Heat"};
  made.categories = {"Horror|Sci-Fi", "Drama", ""};
  made.pictures = {"https://example.org/1.jpg", "", ""};
  FeatureList list;
  const auto fact = [&](const char* item, const char* predicate, const char* object) {
    list.facts.push_back(
        {list.items.intern(item), list.intern_predicate(predicate), list.objects.intern(object)});
  };
  fact("1", "director", "Scott");
  fact("2", "director~born in", "Chicago");
  fact("3", "director", "Mann");
  fact("3", "year", "1995");
  list.settle();
  made.features = std::make_shared<const ItemFeatures>(list, made.names, FeatureFilter{.min_items = 1});
  made.schema = {.interval = true,
                 .daypart = true,
                 .columns = true,
                 .item = true,
                 .person = true,
                 .recency = true,
                 .bins = 4};
  RecordColumn weather{"weather", {}}, age{"age", {}};
  weather.values.intern("sun");
  weather.values.intern("rain");
  age.values.intern("25-34");
  age.values.intern("18-24");
  made.contexts = std::make_shared<const Contexts>(
      context_vocabulary(made.schema, {weather}, made.features.get(), {age}).value());
  made.scale = {0.5f, 5.0f};
  return made;
}

bool comes_back(const TaskCatalogue& catalogue) {
  const std::string encoded = encode_catalogue(catalogue);
  const auto read = read_catalogue(pack_catalogue(encoded), catalogue.names.size());
  return read.ok() && encode_catalogue(**read) == encoded;
}

TEST(Catalogue, ColumnsComeBack) {
  const TaskCatalogue made = whole();
  ASSERT_TRUE(check(made).ok()) << check(made).error().message;
  const auto read = read_catalogue(pack_catalogue(encode_catalogue(made)), 3);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const TaskCatalogue& back = **read;
  EXPECT_EQ(back.title(0), "Alien");
  EXPECT_EQ(back.title(1), "2");  // without one its name
  EXPECT_EQ(back.categories, made.categories);
  EXPECT_EQ(back.pictures, made.pictures);
  EXPECT_EQ(back.features->hash(), made.features->hash());
  EXPECT_EQ(back.contexts->hash(), made.contexts->hash());
  EXPECT_EQ(back.schema.bins, 4u);
  EXPECT_TRUE(back.schema.person);
  const ContextDimension& age = *(back.contexts->dimensions.end() - 2);
  EXPECT_EQ(age.name, "age");
  EXPECT_TRUE(age.is_attribute());
  EXPECT_EQ(age.values, (std::vector<std::string>{"18-24", "25-34"}));
  EXPECT_EQ(back.scale->highest, 5.0f);
  EXPECT_TRUE(comes_back(made));
  // Each column alone, too.
  for (int column = 0; column < 6; ++column) {
    TaskCatalogue one;
    for (const char* name : {"1", "2", "3"}) one.names.intern(name);
    if (column == 0) one.titles = made.titles;
    if (column == 1) one.categories = made.categories;
    if (column == 2) one.pictures = made.pictures;
    if (column == 3) one.features = made.features;
    if (column == 4) one.contexts = made.contexts, one.schema = made.schema;
    if (column == 5) one.scale = made.scale;
    EXPECT_TRUE(comes_back(one)) << column;
  }
}

// The first so many items of the usual one, in names and columns by item.
TaskCatalogue first_items(std::size_t items, bool columns, bool features = false) {
  TaskCatalogue made;
  FeatureList list;
  for (std::size_t item = 0; item < items; ++item) {
    made.names.intern("thing " + std::to_string(item));
    if (columns) made.titles.push_back(item % 3 == 0 ? "Title " + std::to_string(item) : "");
    if (columns) made.categories.push_back(item % 2 == 0 ? "Even" : "Odd");
    list.facts.push_back({list.items.intern("thing " + std::to_string(item)), list.intern_predicate("of"),
                          list.objects.intern("o" + std::to_string(item % 4))});
  }
  list.settle();
  if (features)
    made.features = std::make_shared<const ItemFeatures>(list, made.names, FeatureFilter{.min_items = 2});
  return made;
}

// Whoever has the bytes of one needs no more than those behind them.
TEST(Catalogue, GrowsBehindItsBytes) {
  for (const bool columns : {false, true})
    for (const bool features : {false, true}) {
      TaskCatalogue at_hand = first_items(3, columns, features);
      std::string packed = pack_catalogue(encode_catalogue(at_hand));
      for (const std::size_t items : {5u, 6u, 40u}) {
        const TaskCatalogue after = first_items(items, columns, features);
        ASSERT_TRUE(check_grown(at_hand, after).ok()) << check_grown(at_hand, after).error().message;
        const std::string grown = pack_grown(packed, at_hand, after);
        EXPECT_TRUE(grown.starts_with(packed));
        const auto read = read_catalogue(grown, items);
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_EQ(encode_catalogue(**read), encode_catalogue(after)) << items;
        EXPECT_FALSE(read_catalogue(grown, items - 1).ok());
        packed = grown;
        at_hand = after;
      }
    }
  // From names to columns, and from a file whose last line has no end.
  TaskCatalogue titled = first_items(3, false);
  titled.titles = {"", "", "The third"};
  const auto read =
      read_catalogue(pack_grown(pack_catalogue("thing 0\nthing 1"), first_items(2, false), titled), 3);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(encode_catalogue(**read), encode_catalogue(titled));
  EXPECT_FALSE(read_catalogue(pack_catalogue("a\n") + pack_catalogue("a\n"), 9).ok()) << "twice";
  EXPECT_FALSE(
      read_catalogue(pack_catalogue(encode_catalogue(whole())) + pack_catalogue(encode_catalogue(whole())), 9)
          .ok());
}

// What is said of all items again and again would outgrow the rest.
TEST(Catalogue, IsPackedAnewWhereItsGrowthOutweighsIt) {
  TaskCatalogue at_hand = first_items(100, true, true);
  std::string packed = pack_catalogue(encode_catalogue(at_hand));
  bool anew = false;
  for (std::size_t items = 101; items < 160 && !anew; ++items) {
    const TaskCatalogue after = first_items(items, true, true);
    const std::string grown = pack_grown(packed, at_hand, after);
    anew = !grown.starts_with(packed);
    const auto read = read_catalogue(grown, items);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(encode_catalogue(**read), encode_catalogue(after));
    EXPECT_LT(grown.size(), 2 * pack_catalogue(encode_catalogue(after)).size() + 5000);
    packed = grown;
    at_hand = after;
  }
  EXPECT_TRUE(anew);
}

TEST(Catalogue, KeepsTheRowsItHasOrSaysWhichChanged) {
  const TaskCatalogue before = first_items(8, true, true);
  const auto why = [&](auto change) {
    TaskCatalogue after = first_items(10, true, true);
    change(after);
    const Status kept = check_grown(before, after);
    return kept.ok() ? "" : kept.error().message;
  };
  const auto other_name = [](std::size_t place) {
    return [place](TaskCatalogue& after) {
      IdTable names;
      for (std::uint32_t n = 0; n < 10; ++n) names.intern(n == place ? "other" : after.names.name(n));
      after.names = names;
    };
  };
  EXPECT_EQ(why([](TaskCatalogue&) {}), "");
  EXPECT_EQ(why(other_name(9)), "");
  EXPECT_NE(why(other_name(2)).find("item 3 (counted from 1) had the name 'thing 2' and now has 'other'"),
            std::string::npos)
      << why(other_name(2));
  EXPECT_NE(why([](TaskCatalogue& after) { after.titles[0] = ""; }).find("title 'Title 0' and now has none"),
            std::string::npos);
  EXPECT_NE(why([](TaskCatalogue& after) { after.categories[3] = "Even"; }).find("item 4"),
            std::string::npos);
  EXPECT_EQ(why([](TaskCatalogue& after) { after.categories[8] = "New"; }), "");
  EXPECT_NE(why([](TaskCatalogue& after) { after.features = nullptr; }).find("came, went or changed"),
            std::string::npos);
  EXPECT_NE(why([](TaskCatalogue& after) {
              FeatureList list;
              list.facts.push_back(
                  {list.items.intern("thing 5"), list.intern_predicate("of"), list.objects.intern("o1")});
              list.settle();
              after.features =
                  std::make_shared<const ItemFeatures>(list, after.names, FeatureFilter{.min_items = 1});
            }).find("had the feature"),
            std::string::npos)
      << "a rule that keeps an item back goes on to do so";
  EXPECT_NE(check_grown(before, first_items(3, true, true)).error().message.find("has 3 items and had 8"),
            std::string::npos);
}

// What is kept is what a reader of names alone refuses: it does not take the columns for names.
TEST(Catalogue, ColumnsAreNoNames) {
  const std::string encoded = encode_catalogue(whole());
  EXPECT_EQ(encoded.front(), '\n');
  TaskCatalogue bare;
  bare.names = whole().names;
  bare.titles = {"", "", ""};
  EXPECT_EQ(encode_catalogue(bare), "1\n2\n3\n");
}

TEST(Catalogue, WhatNoDeviceMayBelieveIsRefused) {
  const auto refused = [](const auto& change) {
    TaskCatalogue made = whole();
    change(made);
    return !check(made).ok() && !read_catalogue(pack_catalogue(encode_catalogue(made)), 3).ok();
  };
  EXPECT_FALSE(refused([](TaskCatalogue&) {}));
  EXPECT_TRUE(refused([](TaskCatalogue& made) { made.titles[0] = "two\nlines"; }));
  EXPECT_TRUE(refused([](TaskCatalogue& made) { made.titles[0] = "\x1b[31mred"; }));
  EXPECT_TRUE(
      refused([](TaskCatalogue& made) { made.categories[0] = std::string(most_item_name + 1, 'a'); }));
  EXPECT_TRUE(refused([](TaskCatalogue& made) { made.pictures[0] = "http://example.org/1.jpg"; }));
  EXPECT_TRUE(refused([](TaskCatalogue& made) { made.pictures[0] = "file:///etc/passwd"; }));
  EXPECT_TRUE(refused([](TaskCatalogue& made) { made.scale = {5.0f, 1.0f}; }));
  EXPECT_TRUE(refused([](TaskCatalogue& made) { made.schema.bins = 0; }));
  EXPECT_TRUE(refused([](TaskCatalogue& made) { made.schema.columns = false; }));
  TaskCatalogue unasked = whole();
  unasked.schema.person = false;
  EXPECT_FALSE(check(unasked).ok());
  const auto with_contexts = [&](const auto& change) {
    return refused([&](TaskCatalogue& made) {
      Contexts contexts = *made.contexts;
      change(contexts);
      made.contexts = std::make_shared<const Contexts>(std::move(contexts));
    });
  };
  EXPECT_TRUE(with_contexts([](Contexts& contexts) { contexts.dimensions[2].name = "*"; }));
  EXPECT_TRUE(with_contexts([](Contexts& contexts) { contexts.dimensions[2].name = "interval"; }));
  EXPECT_TRUE(with_contexts([](Contexts& contexts) { contexts.dimensions[2].values[0] = "sun"; }));
  EXPECT_TRUE(with_contexts([](Contexts& contexts) { contexts.items.ends.pop_back(); }));
  EXPECT_TRUE(with_contexts([](Contexts& contexts) {
    ContextDimension& age = *(contexts.dimensions.end() - 2);
    for (int n = 0; n < 255; ++n) age.values.push_back(std::to_string(n));
  })) << "257 ages";
  EXPECT_TRUE(with_contexts([](Contexts& contexts) {
    for (int n = 0; n < 64; ++n)
      contexts.dimensions.insert(
          contexts.dimensions.end() - 1,
          ContextDimension{.name = std::to_string(n), .source = ContextSource::person});
  })) << "65 things to be asked";
  // What says that it looks at no other record would be let in by who keeps records back.
  EXPECT_TRUE(with_contexts([](Contexts& contexts) { contexts.dimensions.front().looks_back = false; }));
  EXPECT_TRUE(with_contexts([](Contexts& contexts) { contexts.dimensions.back().looks_back = false; }));
  EXPECT_TRUE(with_contexts([](Contexts& contexts) {
    contexts.people.values = {static_cast<std::uint32_t>(contexts.values() - 1)};
    contexts.people.ends = {0, 1};
  })) << "somebody's";
  EXPECT_TRUE(with_contexts([](Contexts& contexts) {
    contexts.train.width = 3;
    contexts.train.values = {0, 0, 0};
  }));
}

// Bytes that were cut, or changed by one, are refused or are another catalogue that keeps the laws.
TEST(Catalogue, ChangedBytesAreRefusedOrLawful) {
  const std::string encoded = encode_catalogue(whole());
  for (std::size_t size = 20; size < encoded.size(); ++size)
    EXPECT_FALSE(reads(std::string_view(encoded).substr(0, size), 3)) << size;
  EXPECT_FALSE(reads(encoded + "x", 3));
  for (std::size_t at = 19; at < encoded.size(); ++at) {
    std::string changed = encoded;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    const auto read = read_catalogue(pack_catalogue(changed), 3);
    if (!read.ok()) continue;
    EXPECT_EQ(encode_catalogue(**read), changed) << at;
  }
  // A column of a later version.
  TaskCatalogue titled;
  titled.names.intern("a");
  titled.titles = {"b"};
  std::string later = encode_catalogue(titled);
  later[later.size() - 6] = static_cast<char>(0x80);
  EXPECT_EQ(read_catalogue(pack_catalogue(later), 1).error().code, Code::incompatible);
}

}  // namespace sotto::fed::catalogue_test
