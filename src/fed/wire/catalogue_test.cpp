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
  made.schema = {
      .interval = true, .daypart = true, .columns = true, .item = true, .recency = true, .bins = 4};
  RecordColumn weather{"weather", {}};
  weather.values.intern("sun");
  weather.values.intern("rain");
  made.contexts = std::make_shared<const Contexts>(
      context_vocabulary(made.schema, {weather}, made.features.get()).value());
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
