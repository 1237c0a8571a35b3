#include "data/split_io.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "data/generate.h"
#include "data/loader.h"
#include "data/split_layout.h"
#include "data/split_parts.h"

namespace sotto::data::split_io_test {

Split small_split() {
  const TextSource source{
      "t",
      "u,a,3,300000001,Bar\nu,b,3,300000002,Café\nv,a,4,300000003,Bar\nv,c,3,300000004,Pub\n"
      "w,b,3,300000005,Café\n"};
  Dataset dataset = load_interactions(std::span(&source, 1)).value();
  dataset.item_names = {"first", "", "third"};
  SplitOptions options;
  options.rule = LeaveOneOut{};
  return split_dataset(dataset, options).value();
}

bool same(std::span<const ItemIndex> a, std::span<const ItemIndex> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// The bytes with their checksums made right again: what reaches the checks behind them.
Bytes sealed(const Bytes& bytes, const SplitHead& head) {
  SplitHead right = head;
  const SectionBytes sections = sections_of(head, bytes);
  for (std::size_t k = 0; k < section_count; ++k) right.checksums[k] = checksum_of(sections[k]);
  Bytes result = encode_head(right);
  result.insert(result.end(), bytes.begin() + static_cast<std::ptrdiff_t>(result.size()), bytes.end());
  return result;
}

// Reads all that a user of the split could read; what a memory checker would stumble over.
std::uint64_t walked(const Split& split) {
  std::uint64_t sum = 0;
  for (const Histories* part : {&split.train, &split.validation, &split.test})
    for (std::uint32_t user = 0; user < part->users(); ++user)
      for (const ItemIndex item : part->of({user})) sum += split.items.name(item.value).size();
  for (const IdTable* table : {&split.users, &split.items})
    for (std::uint32_t index = 0; index < table->size(); ++index)
      sum += table->find(table->name(index)).value_or(0) + table->find("nobody").value_or(0);
  return sum;
}

TEST(SplitIo, ComesBackWhole) {
  const Split split = small_split();
  const auto loaded = load_split(save_split(split), "s");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->hash, split.hash);
  EXPECT_EQ(loaded->catalogue, split.catalogue);
  EXPECT_EQ(loaded->item_names, split.item_names);
  EXPECT_EQ(loaded->item_categories, split.item_categories);
  EXPECT_TRUE(same(loaded->train.items(), split.train.items()));
  ASSERT_TRUE(split.train.has_ages());
  EXPECT_TRUE(std::ranges::equal(loaded->train.ages(), split.train.ages()));
  EXPECT_TRUE(same(loaded->validation.items(), split.validation.items()));
  EXPECT_TRUE(same(loaded->test.items(), split.test.items()));
  for (std::uint32_t user = 0; user < split.users.size(); ++user)
    EXPECT_EQ(loaded->users.name(user), split.users.name(user));
  for (std::uint32_t item = 0; item < split.items.size(); ++item)
    EXPECT_EQ(loaded->items.name(item), split.items.name(item));
  EXPECT_EQ(save_split(*loaded), save_split(split));
}

// The last section that holds anything ends anywhere, and those after it are empty.
TEST(SplitIo, NamesWithoutCategoriesComeBack) {
  Split split = small_split();
  split.item_categories.clear();
  for (const char* name : {"a", "ab", "abc", "abcd", "abcde"}) {
    split.item_names = {name, "", "third"};
    const auto loaded = load_split(save_split(split), "s");
    ASSERT_TRUE(loaded.ok()) << name << ": " << loaded.error().message;
    EXPECT_EQ(loaded->item_names, split.item_names);
    EXPECT_TRUE(loaded->item_categories.empty());
  }
}

RC_GTEST_PROP(SplitIo, AnyWorldComesBack, ()) {
  WorldOptions options;
  options.users = *rc::gen::inRange<std::uint32_t>(1, 20);
  options.items = *rc::gen::inRange<std::uint32_t>(1, 40);
  options.cities = *rc::gen::inRange<std::uint32_t>(1, 5);
  options.mean_interactions = 6;
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  const Split split = generate_split(options).value();
  RC_ASSERT(check_laws(split).ok());
  const auto loaded = load_split(save_split(split), "s");
  RC_ASSERT(loaded.ok());
  RC_ASSERT(loaded->hash == split.hash);
}

TEST(SplitIo, RefusesEveryCutAndEveryChangedByte) {
  const Bytes whole = save_split(small_split());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto loaded = load_split(std::span(whole).first(size), "s");
    ASSERT_FALSE(loaded.ok()) << size;
    EXPECT_EQ(loaded.error().code, Code::bad_input) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    Bytes changed = whole;
    changed[at] ^= std::byte{0x11};
    const auto loaded = load_split(changed, "s");
    ASSERT_FALSE(loaded.ok()) << at;
    const bool in_version = at >= 12 && at < 16;
    EXPECT_EQ(loaded.error().code, in_version ? Code::incompatible : Code::bad_input) << at;
    EXPECT_EQ(loaded.error().message.substr(0, 3), "s: ");
  }
}

// Behind the checksums stand the laws: a changed file with right checksums and a right hash loads only if
// it is lawful; and whatever the quick check lets pass can be walked without leaving memory.
TEST(SplitIo, ChecksTheLawsBehindTheChecksums) {
  const Bytes whole = save_split(small_split());
  const SplitHead head = decode_head(whole, "s").value();
  std::size_t refused = 0, tried = 0;
  for (std::size_t at = encode_head(head).size(); at < whole.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u}) {
      Bytes changed = whole;
      changed[at] ^= static_cast<std::byte>(flip);
      changed = sealed(changed, head);
      ++tried;
      const auto quick = open_split(SharedBytes::of(changed), "s", SplitCheck::quick);
      if (!quick.ok()) {
        EXPECT_FALSE(load_split(changed, "s").ok()) << at;
        ++refused;
        continue;
      }
      static_cast<void>(walked(*quick));
      SplitHead rehashed = decode_head(changed, "s").value();
      rehashed.hash = hash_of(*quick);
      changed = sealed(changed, rehashed);
      const auto loaded = load_split(changed, "s");
      if (!loaded.ok()) {
        ++refused;
        continue;
      }
      EXPECT_TRUE(check_laws(*loaded).ok()) << at;
      EXPECT_EQ(save_split(*loaded), changed) << at;
    }
  }
  EXPECT_GT(refused, tried / 2);
}

TEST(SplitIo, AWrongHashIsFoundByTheWholeCheckAlone) {
  Split split = small_split();
  split.hash = std::string(64, '0');
  const Bytes bytes = save_split(split);
  EXPECT_TRUE(open_split(SharedBytes::of(bytes), "s", SplitCheck::quick).ok());
  EXPECT_NE(load_split(bytes, "s").error().message.find("hash"), std::string::npos);
}

TEST(SplitIo, AViewOutlivesTheBytesItWasOpenedFrom) {
  const Split split = small_split();
  std::optional<Split> opened;
  {
    const SharedBytes file = SharedBytes::of(save_split(split));
    opened = open_split(file, "s", SplitCheck::quick).value();
    EXPECT_EQ(static_cast<const void*>(opened->train.items().data()) >= file.bytes.data(), true);
  }
  const Histories copy = opened->train;
  IdTable users = opened->users;
  EXPECT_TRUE(same(copy.items(), split.train.items()));
  EXPECT_EQ(hash_of(*opened), split.hash);
  // A view takes a new name as any table does, and leaves the others as they are.
  const auto known = static_cast<std::uint32_t>(users.size());
  EXPECT_EQ(users.intern("v"), 1u);
  EXPECT_EQ(users.intern("new"), known);
  EXPECT_EQ(users.find("new"), known);
  EXPECT_EQ(users.find("w"), 2u);
  EXPECT_FALSE(opened->users.find("new").has_value());
}

// A row's law is judged by counting falls; here the slow and obvious way judges beside it.
RC_GTEST_PROP(SplitIo, RowsAreJudgedAsOneByOne, ()) {
  const auto users = *rc::gen::inRange<std::size_t>(1, 6);
  Split split;
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::size_t user = 0; user < users; ++user) {
    split.users.intern(std::to_string(user));
    auto row = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, 9u));
    if (*rc::gen::inRange(0, 4) != 0) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    for (const std::uint32_t item : row) items.push_back({item});
    offsets.push_back(items.size());
  }
  split.catalogue = 8;
  for (int item = 0; item < 8; ++item) split.items.intern(std::to_string(item));
  bool lawful = !items.empty();
  for (std::size_t user = 0; user < users; ++user)
    for (std::size_t k = offsets[user]; k < offsets[user + 1]; ++k)
      lawful = lawful && items[k].value < 8 && (k == offsets[user] || items[k - 1] < items[k]);
  split.train = Histories(offsets, items);
  split.validation = split.test = Histories(users);
  RC_ASSERT(check_rows(split).ok() == lawful);
}

TEST(SplitIo, NamesEachBrokenLaw) {
  const auto refusal = [](const Split& split) { return load_split(save_split(split), "s").error().message; };
  Split leaking = small_split();
  leaking.test = leaking.train;
  EXPECT_NE(refusal(leaking).find("no pair is in two parts"), std::string::npos);
  Split unknown = small_split();
  unknown.train = unknown.test;
  EXPECT_NE(refusal(unknown).find("known items"), std::string::npos);
  Split large = small_split();
  large.catalogue = 4;
  EXPECT_NE(refusal(large).find("catalogue"), std::string::npos);
  Split labels = small_split();
  labels.item_names.pop_back();
  EXPECT_NE(refusal(labels).find("label"), std::string::npos);
  Split fewer = small_split();
  fewer.validation = Histories(2);
  EXPECT_NE(refusal(fewer).find("each user has a row"), std::string::npos);
  Split unsorted = small_split();
  std::vector<std::uint64_t> offsets(unsorted.train.offsets().begin(), unsorted.train.offsets().end());
  unsorted.train = Histories(offsets, std::vector<ItemIndex>(offsets.back(), ItemIndex{9}));
  EXPECT_NE(refusal(unsorted).find("known items"), std::string::npos);
}

TEST(SplitIo, RefusesAgesThatAreNoOrder) {
  Split split = small_split();
  const auto with_ages = [&](std::vector<std::uint16_t> ages) {
    split.train = Histories({0, 2, 2, 2}, {ItemIndex{0}, ItemIndex{1}}, std::move(ages));
    split.test = split.validation = Histories(3);
    return check_laws(split);
  };
  EXPECT_EQ(with_ages({0, 0}).error().message.find("broken law: each user's items have an order"), 0u);
  EXPECT_FALSE(with_ages({1, 2}).ok());
  // What stays broken is another law (an item that occurs nowhere), not the order.
  EXPECT_EQ(with_ages({1, 0}).error().message.find("broken law: every item"), 0u);
}

TEST(SplitIo, ExportsOwnIds) {
  const Split split = small_split();
  EXPECT_EQ(part_as_tsv(split, split.test), "u\tb\nv\tc\n");
  EXPECT_EQ(part_as_tsv(split, split.train), "u\ta\nv\ta\nw\tb\n");
  EXPECT_EQ(part_as_tsv(split, split.validation), "");
}

}  // namespace sotto::data::split_io_test
