// The rules over the real source tree.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/style/rules.h"

namespace sotto::style {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Source> read_tree() {
  const fs::path root(SOTTO_SOURCE_DIR);
  std::vector<Source> sources;
  for (const char* folder : {"src", "apps", "include", "tests", "fuzz", "bench"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h") continue;
      sources.push_back({fs::relative(entry.path(), root).generic_string(), read(entry.path())});
    }
  }
  return sources;
}

const std::vector<Source>& tree() {
  static const std::vector<Source> sources = read_tree();
  return sources;
}

template <class Rule>
void expect_clean(Rule rule) {
  for (const Source& source : tree())
    for (const std::string& finding : rule(source)) ADD_FAILURE() << finding;
}

TEST(StyleOfTheTree, TheTreeIsThere) {
  std::set<std::string> layers;
  for (const Source& source : tree()) {
    EXPECT_FALSE(source.text.empty()) << source.path;
    layers.insert(source.layer());
  }
  for (const char* layer : {"base", "data", "model"}) EXPECT_TRUE(layers.contains(layer)) << layer;
}

TEST(StyleOfTheTree, LayersSeeOnlyWhatStandsToTheirLeft) { expect_clean(check_layers); }
TEST(StyleOfTheTree, FoldersSeeEachOtherOneWay) {
  for (const std::string& finding : check_cycles(tree())) ADD_FAILURE() << finding;
}

TEST(StyleOfTheTree, NoTwoTypesHaveTheSameName) {
  for (const std::string& finding : check_types(tree())) ADD_FAILURE() << finding;
}

TEST(StyleOfTheTree, ALayerIsANamespace) { expect_clean(check_namespaces); }
TEST(StyleOfTheTree, NamesAreFoundInTheOrderOfTheLayers) {
  for (const Source& source : tree())
    if (source.path == "src/base/layers.h")
      for (const std::string& finding : check_layer_names(source)) ADD_FAILURE() << finding;
}

TEST(StyleOfTheTree, AModelIsNamedInItsOwnFilesAlone) {
  for (const std::string& finding : check_model_names(tree())) ADD_FAILURE() << finding;
}

TEST(StyleOfTheTree, ProductCodeSeesNoFixture) { expect_clean(check_fixtures); }
TEST(StyleOfTheTree, NoThreadFileOrClockBelowStorage) { expect_clean(check_purity); }
TEST(StyleOfTheTree, HeadersOpenWithAComment) { expect_clean(check_header); }
TEST(StyleOfTheTree, NamesSayWhatThingsAre) { expect_clean(check_names); }
TEST(StyleOfTheTree, NothingIsMarkedUnfinished) { expect_clean(check_marks); }

TEST(StyleOfTheTree, FilesAndFunctionsAreSmall) {
  const auto exceptions = read(fs::path(SOTTO_SOURCE_DIR) / "tests/style_exceptions.txt");
  ASSERT_FALSE(exceptions.empty());
  for (const std::string& finding : check_sizes(tree(), exceptions)) ADD_FAILURE() << finding;
}

}  // namespace
}  // namespace sotto::style
