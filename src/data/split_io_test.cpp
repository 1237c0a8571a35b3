#include "data/split_io.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/hash.h"
#include "data/generate.h"
#include "data/loader.h"
#include "data/split_parts.h"

namespace sotto {
namespace {

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

// The bytes with their checksum made right again: what reaches the checks behind it.
Bytes sealed(Bytes bytes) {
  bytes.resize(bytes.size() - 64);
  Hasher hasher;
  hasher.bytes(bytes);
  const std::string sum = std::move(hasher).hex();
  const auto tail = std::as_bytes(std::span(sum));
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
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
  EXPECT_TRUE(same(loaded->validation.items(), split.validation.items()));
  EXPECT_TRUE(same(loaded->test.items(), split.test.items()));
  for (std::uint32_t user = 0; user < split.users.size(); ++user)
    EXPECT_EQ(loaded->users.name(user), split.users.name(user));
  for (std::uint32_t item = 0; item < split.items.size(); ++item)
    EXPECT_EQ(loaded->items.name(item), split.items.name(item));
  EXPECT_EQ(save_split(*loaded), save_split(split));
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

// Behind the checksum stand the laws: a changed file with a right checksum loads only if it is lawful.
TEST(SplitIo, ChecksTheLawsBehindTheChecksum) {
  const Bytes whole = save_split(small_split());
  std::size_t refused = 0;
  for (std::size_t at = 16; at + 64 < whole.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u}) {
      Bytes changed = whole;
      changed[at] ^= static_cast<std::byte>(flip);
      const auto loaded = load_split(sealed(changed), "s");
      if (!loaded.ok()) {
        ++refused;
        continue;
      }
      EXPECT_TRUE(check_laws(*loaded).ok()) << at;
      EXPECT_EQ(save_split(*loaded), sealed(changed)) << at;
    }
  }
  EXPECT_GT(refused, whole.size() / 2);
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

TEST(SplitIo, ExportsOwnIds) {
  const Split split = small_split();
  EXPECT_EQ(part_as_tsv(split, split.test), "u\tb\nv\tc\n");
  EXPECT_EQ(part_as_tsv(split, split.train), "u\ta\nv\ta\nw\tb\n");
  EXPECT_EQ(part_as_tsv(split, split.validation), "");
}

}  // namespace
}  // namespace sotto
