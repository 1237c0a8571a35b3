#include "engine/plan/knowledge.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/compression.h"
#include "data/generate.h"
#include "engine/files/files.h"
#include "engine/files/split_file.h"
#include "engine/plan/prepare.h"
#include "engine/train/run_dir.h"

namespace sotto::engine {
namespace {

namespace fs = std::filesystem;

// A generated world, and what is known about it, as files in a folder that is gone afterwards.
class KnowledgeTest : public ::testing::Test {
 public:
  KnowledgeTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const Dataset world = generate_world(options_).value();
    std::string text = "user\titem\ttime\n";
    for (const Interaction& row : world.interactions)
      text += std::string(world.users.name(row.user.value)) + "\t" +
              std::string(world.items.name(row.item.value)) + "\t" + std::to_string(row.time) + "\n";
    put("world.tsv", text);
    list_ = generate_knowledge(options_).value();
    put("known.tsv", features_text(list_));
  }
  ~KnowledgeTest() override { fs::remove_all(folder_); }

 protected:
  std::string put(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(write_file(folder_ / name, text).ok());
    return path(name);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] DataRequest request() const {
    DataRequest data;
    data.paths = {path("world.tsv")};
    data.kg.paths = {path("known.tsv")};
    data.kg.min_items = 3;
    return data;
  }

  WorldOptions options_{.users = 80, .items = 120, .cities = 3, .mean_interactions = 15.0, .seed = 5};
  FeatureList list_;
  fs::path folder_ = fs::temp_directory_path() / ("sotto-knowledge-" + std::to_string(::getpid()));
};

TEST_F(KnowledgeTest, APreparedSplitHasItsFeatures) {
  const Prepared prepared = prepare(request()).value();
  ASSERT_TRUE(prepared.split.features);
  const ItemFeatures expected(list_, prepared.split.items, {.min_items = 3, .max_hops = 2});
  EXPECT_EQ(prepared.split.features->hash(), expected.hash());
  ASSERT_TRUE(prepared.features);
  EXPECT_EQ(prepared.features->items_without, expected.items_without(prepared.split.items.size()));
  EXPECT_GT(prepared.features->items_without, 0u);
  EXPECT_GT(prepared.features->dropped_rare, 0u);
  EXPECT_EQ(prepared.knowledge->report.triples, list_.facts.size());
}

TEST_F(KnowledgeTest, ASavedSplitAndGivenPartsGetThemToo) {
  const Split split = prepare(request()).value().split;
  DataRequest saved = request();
  saved.paths.clear();
  saved.split_file = path("world.split");
  ASSERT_TRUE(write_split_file(saved.split_file, split).ok());
  EXPECT_EQ(prepare(saved).value().split.features->hash(), split.features->hash());

  DataRequest parts = request();
  parts.test = {put("test.tsv", "user\titem\nsomebody\tsomething\n")};
  const Split joined = prepare(parts).value().split;
  const ItemFeatures expected(list_, joined.items, {.min_items = 3, .max_hops = 2});
  EXPECT_EQ(joined.features->hash(), expected.hash());
}

TEST_F(KnowledgeTest, OnlyKnownItemsStay) {
  DataRequest data = request();
  data.kg.only_known = true;
  const Prepared prepared = prepare(data).value();
  EXPECT_EQ(prepared.features->items_without, 0u);
  ASSERT_FALSE(prepared.filtered.empty());
  EXPECT_GT(prepared.filtered.front().items, 0u);
}

TEST_F(KnowledgeTest, ColumnsWithLinksSayTheSameAsTheList) {
  // Each fact of one hop as a triple about the venue's entity.
  std::string triples, links;
  for (std::uint32_t item = 0; item < list_.items.size(); ++item)
    links += std::string(list_.items.name(item)) + "\ta title\thttp://e/" +
             std::string(list_.items.name(item)) + "\n";
  for (const FeatureFact& fact : list_.facts)
    if (list_.hops[fact.predicate] == 1)
      triples += "http://e/" + std::string(list_.items.name(fact.item)) + "\t" +
                 std::string(list_.predicates.name(fact.predicate)) + "\t" +
                 std::string(list_.objects.name(fact.object)) + "\n";
  EXPECT_TRUE(write_file(folder_ / "graph.tsv.zst", compress(std::as_bytes(std::span(triples)))).ok());
  DataRequest graph = request();
  graph.kg.paths = {path("graph.tsv.zst")};
  graph.kg.links = {put("links.tsv", links)};
  DataRequest plain = request();
  graph.kg.depth = plain.kg.depth = 1;
  EXPECT_EQ(prepare(graph).value().split.features->hash(), prepare(plain).value().split.features->hash());
}

TEST_F(KnowledgeTest, ARunDirectoryKeepsThem) {
  TrainRequest train;
  train.data = request();
  train.model = "toppop";
  ASSERT_TRUE(settle(train).ok());
  const Split split = prepare(train.data).value().split;
  const RunDir run(folder_ / "run");
  ASSERT_TRUE(run.begin(train, split).ok());
  EXPECT_EQ(run.split().value().features->hash(), split.features->hash());
  EXPECT_EQ(run.request().value().data.kg.min_items, train.data.kg.min_items);

  Bytes bytes = read_file(folder_ / "run" / "features.bin").value();
  bytes[bytes.size() / 2] ^= std::byte{1};
  ASSERT_TRUE(write_file(folder_ / "run" / "features.bin", bytes).ok());
  EXPECT_FALSE(run.split().ok()) << "a changed byte is noticed";
}

TEST_F(KnowledgeTest, WrongRequestsAreToldBeforeReading) {
  TrainRequest train;
  train.data.paths = {"anywhere"};
  train.model = "vsm";
  EXPECT_NE(settle(train).error().message.find("--kg"), std::string::npos);
  train.data.kg.paths = {"known.tsv"};
  EXPECT_TRUE(settle(train).ok());
  train.data.kg.broken = "perhaps";
  EXPECT_EQ(settle(train).error().code, Code::usage);
  train.data.kg.broken = "fatal";
  train.data.kg.depth = 3;
  EXPECT_EQ(settle(train).error().code, Code::usage);
}

TEST_F(KnowledgeTest, APackedFileThatEndsEarlyIsNamed) {
  const std::string text = features_text(list_);
  Bytes packed = compress(std::as_bytes(std::span(text)));
  packed.resize(packed.size() - 5);
  EXPECT_TRUE(write_file(folder_ / "cut.tsv.zst", packed).ok());
  DataRequest data = request();
  data.kg.paths = {path("cut.tsv.zst")};
  const auto prepared = prepare(data);
  ASSERT_FALSE(prepared.ok());
  EXPECT_NE(prepared.error().message.find("cut.tsv.zst"), std::string::npos) << prepared.error().message;
}

TEST(GeneratedKnowledge, FollowsTheWorldAndItsSeed) {
  const WorldOptions options{.users = 10, .items = 400, .seed = 7};
  const FeatureList list = generate_knowledge(options).value();
  EXPECT_EQ(features_text(list), features_text(generate_knowledge(options).value()));
  EXPECT_LT(list.items.size(), 400u);
  EXPECT_GT(list.items.size(), 340u);
  const Dataset world = generate_world(options).value();
  const auto category = list.predicates.find("http://example.org/ontology/category");
  ASSERT_TRUE(category);
  std::size_t checked = 0;
  for (const FeatureFact& fact : list.facts) {
    const auto item = world.items.find(list.items.name(fact.item));
    if (fact.predicate != *category || !item) continue;
    std::string expected = "http://example.org/resource/" + world.item_categories[*item];
    std::replace(expected.begin(), expected.end(), ' ', '_');
    EXPECT_EQ(list.objects.name(fact.object), expected);
    ++checked;
  }
  EXPECT_GT(checked, 50u);
}

}  // namespace
}  // namespace sotto::engine
