#include "storage/toml_table.h"

#include <gtest/gtest.h>

namespace sotto::storage::toml_table_test {
namespace {

enum class Size : std::uint8_t { small, large };

struct Settings {
  std::string name;
  bool fast = false;
  double share = 0.0;
  std::uint8_t count = 0;
  std::int64_t wait_ms = 0;
  Size size = Size::small;
  std::vector<std::uint32_t> layers{1};
};

Result<Settings> read(const std::string& text) {
  SOTTO_TRY(const toml::table root, parse_toml(text, "s.toml"));
  Settings settings;
  TomlTable table(root, "s.toml", "all.");
  table.text("name", settings.name);
  table.flag("fast", settings.fast);
  table.real("share", settings.share);
  table.whole("count", settings.count);
  table.seconds("wait", settings.wait_ms);
  table.choice("size", {"small", "large"}, settings.size);
  table.wholes("layers", settings.layers);
  SOTTO_TRY_DONE(table.finish());
  return settings;
}

TEST(TomlTable, ReadsEachKindOfValue) {
  const Settings read_back =
      read("name = 'a'\nfast = true\nshare = 1\ncount = 255\nwait = 0.5\nsize = 'large'\nlayers = [64, 0]\n")
          .value();
  EXPECT_EQ(read_back.name, "a");
  EXPECT_TRUE(read_back.fast);
  EXPECT_EQ(read_back.share, 1.0);
  EXPECT_EQ(read_back.count, 255);
  EXPECT_EQ(read_back.wait_ms, 500);
  EXPECT_EQ(read_back.size, Size::large);
  EXPECT_EQ(read_back.layers, (std::vector<std::uint32_t>{64, 0}));
  EXPECT_EQ(read("").value().layers, (std::vector<std::uint32_t>{1}));
}

TEST(TomlTable, EveryMistakeNamesItsLineAndWhatIsWanted) {
  struct Case {
    const char* text;
    const char* says;
  };
  for (const Case& wrong :
       {Case{"\nname = 3\n", "s.toml, line 2: all.name must be a text in quotes"},
        Case{"fast = 1\n", "s.toml, line 1: all.fast must be true or false"},
        Case{"share = inf\n", "all.share must be a number"},
        Case{"count = 256\n", "all.count must be a whole number from 0 to 255"},
        Case{"wait = -1\n", "all.wait must be a number of seconds, not negative"},
        Case{"size = 'huge'\n", "all.size must be \"small\" or \"large\""},
        Case{"layers = 64\n", "all.layers must be a list of whole numbers, such as [64, 32]"},
        Case{"layers = [64, -1]\n", "all.layers must be a list"},
        Case{"layers = [64, 'x']\n", "all.layers must be a list"},
        Case{"name = 'a'\nshape = 1\n",
             "s.toml, line 2: unknown key 'all.shape'; did you mean 'share'? Known are "},
        Case{"xyzxyz = 1\n",
             "unknown key 'all.xyzxyz'; known are count, fast, layers, name, share, size, wait"},
        Case{"name = \n", "s.toml, line 1: not valid TOML"}}) {
    const auto settings = read(wrong.text);
    ASSERT_FALSE(settings.ok()) << wrong.text;
    EXPECT_EQ(settings.error().code, Code::usage);
    EXPECT_NE(settings.error().message.find(wrong.says), std::string::npos) << settings.error().message;
  }
}

}  // namespace
}  // namespace sotto::storage::toml_table_test
