// Each rule on small examples: it finds what it should, and nothing else.
#include "tests/style/rules.h"

#include <gtest/gtest.h>

namespace sotto::style {
namespace {

std::string repeated(const std::string& line, std::size_t times) {
  std::string text;
  for (std::size_t n = 0; n < times; ++n) text += line;
  return text;
}

Findings layers(const std::string& path, const std::string& include) {
  return check_layers({path, "#include \"" + include + "\"\n"});
}

TEST(LayerRule, LeftAndOwnAreAllowedRightIsNot) {
  EXPECT_TRUE(layers("src/model/fpl.cpp", "data/ids.h").empty());
  EXPECT_TRUE(layers("src/model/fpl.cpp", "model/fpl.h").empty());
  EXPECT_TRUE(layers("src/model/central/knn.cpp", "model/recommender.h").empty());
  EXPECT_TRUE(layers("src/lab/run.cpp", "sim/federation.h").empty());
  EXPECT_EQ(layers("src/model/fpl.cpp", "metrics/accuracy.h").size(), 1u);
  EXPECT_EQ(layers("src/base/hash.cpp", "lab/run.h"), Findings{"src/base/hash.cpp:1: base must not see lab"});
}

TEST(LayerRule, NeighboursDoNotSeeEachOther) {
  EXPECT_EQ(layers("src/sim/federation.cpp", "net/wire.h").size(), 1u);
  EXPECT_EQ(layers("src/server/daemon.cpp", "sim/federation.h").size(), 1u);
  EXPECT_EQ(layers("src/device/vault.cpp", "server/store.h").size(), 1u);
  EXPECT_TRUE(layers("src/device/vault.cpp", "fed/session.h").empty());
  EXPECT_TRUE(layers("src/device/abi.cpp", "sotto/sotto.h").empty());
}

TEST(LayerRule, TestsObeyTheirLayerOthersMayIncludeAnything) {
  EXPECT_EQ(layers("src/base/codec_test.cpp", "data/ids.h").size(), 1u);
  EXPECT_TRUE(layers("tests/e2e/train_test.cpp", "lab/run.h").empty());
  EXPECT_TRUE(layers("apps/sotto.cpp", "lab/run.h").empty());
}

TEST(ModelRule, AModelIsNamedInItsOwnFilesAlone) {
  const Source list{"src/engine/models/all_models.h",
                    "ModelEntry ease_entry();\nModelEntry kg_central_entry();\n"};
  const auto found = [&](const char* path, const char* text) {
    return check_model_names({list, {path, text}});
  };
  EXPECT_EQ(found("src/cli/a.cpp", "x\nif (name == \"ease\") go();\n").size(), 1u);
  EXPECT_EQ(found("src/cli/a.cpp", "go(\"kg-central\");\n").size(), 1u);
  EXPECT_TRUE(found("src/cli/a.cpp", "go(\"easel\"); // ease\n").empty());
  for (const char* own :
       {"src/engine/models/ease.cpp", "src/cli/a_test.cpp", "src/fed/models/ease_task.cpp", "tests/a.cpp"})
    EXPECT_TRUE(found(own, "go(\"ease\");\n").empty()) << own;
}

TEST(LayerRule, UnknownFoldersAndBarePathsAreFound) {
  EXPECT_EQ(layers("src/misc/thing.cpp", "base/hash.h").size(), 1u);
  EXPECT_EQ(layers("src/base/hash.cpp", "hash.h").size(), 1u);
}

TEST(CycleRule, FoldersThatSeeEachOtherAreFound) {
  const auto source = [](const std::string& path, const std::string& include) {
    return Source{path, "#include \"" + include + "\"\n"};
  };
  const std::vector<Source> one_way{source("src/data/split.h", "data/kg/names.h"),
                                    source("src/data/kg/a.cpp", "base/b.h"),
                                    source("src/data/kg/a_test.cpp", "data/split.h"),
                                    source("src/data/kg/testing/world.h", "data/split.h")};
  EXPECT_TRUE(check_cycles(one_way).empty());
  const std::vector<Source> around{source("src/lab/a/a.h", "lab/b/b.h"), source("src/lab/b/b.h", "lab/c.h"),
                                   source("src/lab/c.h", "lab/a/a.h"), source("src/lab/d/d.h", "lab/c.h")};
  EXPECT_EQ(check_cycles(around),
            (Findings{"src/lab/c.h:1: lab sees lab/a, which sees it too, or through others",
                      "src/lab/a/a.h:1: lab/a sees lab/b, which sees it too, or through others",
                      "src/lab/b/b.h:1: lab/b sees lab, which sees it too, or through others"}));
}

TEST(FixtureRule, OnlyTestsAndFixturesMayIncludeOne) {
  const std::string include = "#include \"model/testing/small_world.h\"\n";
  for (const std::string path : {"src/model/a.cpp", "src/model/a.h", "apps/sotto.cpp"})
    EXPECT_EQ(check_fixtures({path, include}).size(), 1u) << path;
  for (const std::string path :
       {"src/model/a_test.cpp", "src/lab/testing/b.h", "fuzz/a_fuzz.cpp", "bench/b.cpp"})
    EXPECT_TRUE(check_fixtures({path, include}).empty()) << path;
}

TEST(TypeRule, TheSameNameInOneNamespaceIsFoundWithBothPlaces) {
  const auto findings = [](const std::string& first, const std::string& second) {
    return check_types({{"src/device/line.h", first}, {"src/lab/line.h", second}});
  };
  const std::string line =
      "namespace sotto {\n\nclass Line final : public Way<int> {\n  struct Part {};\n};\n}\n";
  EXPECT_EQ(findings(line, "namespace sotto {\nstruct alignas(64) Line {\n  int a = 0;\n};\n}\n"),
            Findings{"src/lab/line.h:2: sotto::Line is a type of src/device/line.h:3 too"});
  for (const std::string other :
       {"namespace sotto { class Line; }", "namespace sotto::table { class Line {}; }",
        "namespace sotto { namespace { class Line {}; } }",
        "namespace sotto { namespace table { struct Line {}; } }",
        "namespace sotto { struct Own { struct Line {}; }; }",
        "namespace sotto { void f() { struct Line {}; } }",
        "namespace sotto { template <> struct Line<int> {}; }",
        "namespace sotto { struct Part {}; } // class Line {}"})
    EXPECT_TRUE(findings(line, other).empty()) << other;
  for (const std::string other :
       {"namespace sotto { namespace a { void f(B b = {}) { if (b) {} } } enum class Line : char { a }; }",
        "namespace sotto {\ntemplate <class T>\nclass [[nodiscard]] Line {};\n}",
        "namespace sotto { union Line { int a; }; }", "namespace sotto::lab { struct Line {}; }"})
    EXPECT_EQ(findings(line, other).size(), 1u) << other;
}

TEST(NamespaceRule, LayersFindThoseToTheirLeft) {
  const auto findings = [](const std::string& text) {
    return check_layer_names({"src/base/layers.h", text});
  };
  const std::string base = "namespace base {}\nnamespace data {\nusing namespace base;\n}\n";
  EXPECT_TRUE(findings(base + "namespace model {\nusing namespace data;\n}\n").empty());
  EXPECT_EQ(findings(base + "namespace model {\nusing namespace base;\n}\n"),
            Findings{"src/base/layers.h:1: model does not find data"});
  EXPECT_EQ(findings("namespace data {}\nnamespace base {\nusing namespace data;\n}\n").size(), 2u);
}

TEST(NamespaceRule, WhatALayerDefinesStandsInItsNamespace) {
  const auto findings = [](const std::string& text) { return check_namespaces({"src/lab/line.h", text}); };
  EXPECT_EQ(findings("namespace sotto::fed {\nstruct Plan;\nstruct Row {};\n}\n"),
            Findings{"src/lab/line.h:3: sotto::fed::Row belongs into sotto::lab::"});
  EXPECT_EQ(findings("namespace sotto {\nint f();\n}\n"),
            Findings{"src/lab/line.h:1: what stands here belongs into sotto::lab::"});
  EXPECT_TRUE(
      findings("namespace sotto::lab {\nstruct Row {};\n}\nnamespace sotto::lab::rows {\nstruct A {};\n}\n")
          .empty());
}

TEST(PurityRule, ThreadsFilesClocksAndSocketsStayAtOrAboveStorage) {
  for (const std::string name : {"thread", "mutex", "fstream", "filesystem", "iostream", "sys/socket.h",
                                 "netinet/in.h", "random", "unistd.h"}) {
    const std::string text = "#include <" + name + ">\n";
    EXPECT_EQ(check_purity({"src/fed/round.cpp", text}).size(), 1u) << name;
    EXPECT_TRUE(check_purity({"src/sim/federation.cpp", text}).empty()) << name;
    EXPECT_TRUE(check_purity({"src/fed/round_test.cpp", text}).empty()) << name;
  }
  EXPECT_TRUE(check_purity({"src/fed/round.cpp", "#include <vector>\n"}).empty());
  EXPECT_TRUE(check_purity({"src/data/dates.cpp", "#include <chrono>\nusing std::chrono::year;\n"}).empty());
  const std::string now = "auto t = std::chrono::steady_clock::now();\n";
  EXPECT_EQ(check_purity({"src/fed/round.cpp", now}),
            Findings{"src/fed/round.cpp:1: a clock does not belong below storage"});
  EXPECT_TRUE(check_purity({"src/sim/federation.cpp", now}).empty());
}

TEST(HeaderRule, WantsACommentAndAGuard) {
  EXPECT_TRUE(check_header({"src/base/a.h", "// A.\n#pragma once\n"}).empty());
  EXPECT_EQ(check_header({"src/base/a.h", "#pragma once\n"}).size(), 1u);
  EXPECT_EQ(check_header({"src/base/a.h", "// A.\nint a;\n"}).size(), 1u);
  EXPECT_TRUE(check_header({"src/base/a.cpp", "int a;\n"}).empty());
}

TEST(NameRule, FindsNamesThatSayNothing) {
  for (const std::string text : {"class RoundManager {", "struct StringUtil;", "struct ParseHelpers {",
                                 "class Impl;", "using FooImpl = Foo;", "enum class UtilsKind {"})
    EXPECT_EQ(check_names({"src/base/a.cpp", text + "\n"}).size(), 1u) << text;
  for (const std::string text :
       {"class Implicit {", "struct Utility {", "// class RoundManager", "const char* s = \"class Impl\";"})
    EXPECT_TRUE(check_names({"src/base/a.cpp", text + "\n"}).empty()) << text;
  EXPECT_EQ(check_names({"src/base/string_util.h", ""}).size(), 1u);
  EXPECT_EQ(check_names({"src/base/helpers.cpp", ""}).size(), 1u);
  EXPECT_TRUE(check_names({"src/base/implicit.h", ""}).empty());
}

TEST(MarkRule, FindsUnfinishedWorkAndTestsSwitchedOff) {
  for (const std::string mark : {"TO"
                                 "DO: more",
                                 "FIX"
                                 "ME",
                                 "GTEST_"
                                 "SKIP()",
                                 "TEST(A, DIS"
                                 "ABLED_B)"})
    EXPECT_EQ(check_marks({"src/base/a.cpp", "// " + mark + "\n"}).size(), 1u) << mark;
  EXPECT_TRUE(check_marks({"src/base/a.cpp", "int method_todo_list;\n"}).empty());
  const std::string namespaces = "tests/e2e/partition_test.cpp";
  EXPECT_TRUE(check_marks({namespaces,
                           "GTEST_"
                           "SKIP()\n"})
                  .empty())
      << "root alone makes them";
  EXPECT_EQ(check_marks({namespaces,
                         "TEST(A, DIS"
                         "ABLED_B)\n"})
                .size(),
            1u);
}

TEST(CodeOf, BlanksCommentsAndLiteralsAndKeepsLines) {
  const std::string text =
      "int a = 1'000;  // {\n/* {\n*/ char b = '{';\nauto c = \"\\\"{\";\nauto d = R\"x({\n)\")x\";\n";
  const std::string code = code_of(text);
  EXPECT_EQ(code.size(), text.size());
  EXPECT_EQ(code.find('{'), std::string::npos);
  EXPECT_EQ(lines_of(code).size(), lines_of(text).size());
  EXPECT_NE(code.find("int a = 1'000;"), std::string::npos);
  EXPECT_NE(code.find("auto d ="), std::string::npos);
}

struct Expected {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> functions;  // first line, lines
};

TEST(FunctionsOf, FindsDefinitionsWithTheirLength) {
  const std::vector<Expected> examples{
      {"int f() {\n  return 1;\n}\n", {{1, 3}}},
      {"namespace a {\n\nint f(int x = g({1}),\n      int y) {\n  if (x) {\n  }\n}\n\n}\n", {{3, 5}}},
      {"class A : public B {\n public:\n  int f() const { return 1; }\n  int g();\n\n  int h() override {\n  "
       "  return 2;\n  }\n"
       " private:\n  int x_{0};\n};\n",
       {{3, 1}, {6, 3}}},
      {"A::A(int x)\n    : x_{x}, y_(x) {\n  go();\n}\n", {{1, 4}}},
      {"template <class T>\nT f(T x) {\n  return x;\n}\n", {{1, 4}}},
      {"TEST(A, B) {\n  auto f = [](int x) {\n    return x;\n  };\n}\n", {{1, 5}}},
      {"#define M(x) \\\n  do {        \\\n  } while (0)\nint f() {\n}\n", {{4, 2}}},
      {"enum class E { a, b };\nconstexpr int t[] = {\n    1,\n    2};\nint f() { return 0; }\n", {{5, 1}}},
      {"extern \"C\" {\nint f() {\n}\n}\n", {{2, 2}}},
      {"const auto f = [](int x) {\n  return x;\n};\n", {{1, 3}}},
  };
  for (const Expected& example : examples) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (const Function& function : functions_of({"a.cpp", example.text}))
      found.emplace_back(function.first_line, function.lines);
    EXPECT_EQ(found, example.functions) << example.text;
  }
}

TEST(SizeRule, FindsLongFilesHeadersAndFunctions) {
  const Source long_file{"src/base/a.cpp", repeated("int a;\n", 401)};
  const Source long_header{"src/base/a.h", repeated("int a;\n", 151)};
  const Source long_function{"src/base/b.cpp", "\nint f() {\n" + repeated("  go();\n", 59) + "}\n"};
  EXPECT_EQ(check_sizes({long_file}, ""), Findings{"src/base/a.cpp:1: a file of 401 lines, over 400"});
  EXPECT_EQ(check_sizes({long_header}, ""), Findings{"src/base/a.h:1: a file of 151 lines, over 150"});
  EXPECT_EQ(check_sizes({long_function}, ""), Findings{"src/base/b.cpp:2: a function of 61 lines, over 60"});
  const Source fitting{"src/base/c.cpp",
                       "int f() {\n" + repeated("  go();\n", 58) + "}\n" + repeated("\n", 340)};
  EXPECT_TRUE(check_sizes({fitting}, "").empty());
}

TEST(SizeRule, ExceptionsOnlyShrink) {
  const Source source{"src/base/a.cpp", repeated("int a;\n", 450)};
  EXPECT_TRUE(check_sizes({source}, "# why\n\nsrc/base/a.cpp file 450\n").empty());
  EXPECT_EQ(check_sizes({source}, "src/base/a.cpp file 451\n").size(), 2u);  // too generous, so not granted
  EXPECT_EQ(check_sizes({source}, "src/base/a.cpp file 449\n").size(), 1u);
  const Source small{"src/base/a.cpp", "int a;\n"};
  EXPECT_EQ(check_sizes({small}, "src/base/a.cpp file 450\n").size(), 1u);
  EXPECT_EQ(check_sizes({small}, "src/base/gone.cpp file 450\n").size(), 1u);
  EXPECT_EQ(check_sizes({small}, "src/base/a.cpp folder 450\n").size(), 1u);
  EXPECT_EQ(check_sizes({small}, "src/base/a.cpp file\n").size(), 1u);
}

}  // namespace
}  // namespace sotto::style
