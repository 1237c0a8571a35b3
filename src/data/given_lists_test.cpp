#include "data/given_lists.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "data/loader.h"

namespace sotto::data::given_lists_test {

Dataset dataset_of(const std::string& text) {
  const TextSource source{"part", text};
  return load_interactions(std::span(&source, 1)).value();
}

// Two users, five items to recommend; "late" is in the test part only.
const Split& world() {
  static const Split split =
      join_given_parts(dataset_of("user\titem\nann\ta\nann\tb\nbob\tc\nbob\td\nbob\te\n"),
                       dataset_of("user\titem\nann\tc\n"),
                       dataset_of("user\titem\nann\td\nann\tlate\nbob\ta\n"))
          .value();
  return split;
}

Result<GivenLists> load(const std::string& text, const std::string& columns = "") {
  const std::vector<const Histories*> seen{&world().train, &world().validation};
  return load_given_lists({"lists", text}, world(), seen, columns);
}

std::vector<std::string> list_of(const GivenLists& lists, const char* user) {
  std::vector<std::string> names;
  for (const ItemIndex item : lists.of({*world().users.find(user)}))
    names.emplace_back(world().items.name(item.value));
  return names;
}

using Names = std::vector<std::string>;

TEST(GivenLists, ReadsTheUsualForms) {
  for (const char* text :
       {"user\titem\tscore\nann\td\t2\nann\te\t1.5\nbob\ta\t-3e-2\n",                          // a header
        "ann\td\t2\nann\te\t1.5\nbob\ta\t0\n",                                                 // none
        "ann,d,2\nann,e,1.5\nbob,a,0\n",                                                       // commas
        "user\trank\titem\tscore\tname\nann\t1\td\t2\tD\nann\t2\te\t1\tE\nbob\t1\ta\t7\tA\n",  // our own
        "ann Q0 d 1 2.5 tag\nann Q0 e 2 1.5 tag\nbob Q0 a 1 9 tag\n",                          // TREC
        "ann\tQ0\td\t1\t2.5\ttag\r\nann\tQ0\te\t2\t1.5\ttag\r\nbob\tQ0\ta\t1\t9\ttag\r\n",
        "ann d e\nbob a\n"}) {  // a line a user
    const auto lists = load(text);
    ASSERT_TRUE(lists.ok()) << text << lists.error().message;
    EXPECT_EQ(list_of(*lists, "ann"), (Names{"d", "e"})) << text;
    EXPECT_EQ(list_of(*lists, "bob"), (Names{"a"})) << text;
    EXPECT_EQ(lists->lists, 2u);
    EXPECT_EQ(lists->reordered, 0u);
  }
  EXPECT_EQ(list_of(*load("0.5;d;ann\n0.7;e;ann\n", "user=3,item=2,rating=1"), "ann"), (Names{"e", "d"}));
  EXPECT_EQ(list_of(*load("ann\td\t3e8\nann\te\t4e8\n"), "ann"), (Names{"e", "d"}));  // no times here
}

TEST(GivenLists, SortsByScoreAndKeepsTheOrderOfEqualOnes) {
  const auto lists = load("user\titem\tscore\nbob\tb\t1\nann\te\t1\nbob\ta\t1\nann\td\t2\n");
  ASSERT_TRUE(lists.ok());
  EXPECT_EQ(list_of(*lists, "ann"), (Names{"d", "e"}));
  EXPECT_EQ(list_of(*lists, "bob"), (Names{"b", "a"}));
  EXPECT_EQ(lists->reordered, 1u);
  // Ranks are not looked at: a TREC run goes by its scores.
  EXPECT_EQ(list_of(*load("ann Q0 d 1 0.1 t\nann Q0 e 2 0.9 t\n"), "ann"), (Names{"e", "d"}));
}

TEST(GivenLists, RefusesWithFileAndLineAndNoIds) {
  struct Case {
    const char* text;
    const char* line;
    const char* cause;
  };
  for (const Case& one : {
           Case{"user\titem\tscore\nann\td\t1\ncarl\td\t1\n", "line 3", "no such user"},
           Case{"user\titem\tscore\nann\tzebra\t1\n", "line 2", "not in the catalogue"},
           Case{"user\titem\tscore\nann\tlate\t1\n", "line 2", "not in the catalogue"},
           Case{"user\titem\tscore\nann\td\t1\nann\ta\t1\n", "line 3", "already"},
           Case{"user\titem\tscore\nann\tc\t1\n", "line 2", "already"},  // in the validation part
           Case{"user\titem\tscore\nann\td\t1\nbob\ta\t1\nann\td\t2\n", "line 4", "twice"},
           Case{"user\titem\tscore\nann\td\thigh\n", "line 2", "no finite number"},
           Case{"user\titem\tscore\nann\td\tnan\n", "line 2", "no finite number"},
           Case{"user\titem\tscore\nann\td\tinf\n", "line 2", "no finite number"},
           Case{"user\titem\tscore\nann\td\n", "line 2", "columns"},
           Case{"ann Q0 d 1 2.5 tag\nann Q0 e 2 1.5\n", "line 2", "columns"},
           Case{"ann\td\t1\t0.9\nann\te\t2\t0.8\n", "lists", "name the columns"},  // a rank and a score?
           Case{"user\titem\tscore\n", "lists", "no lists"},
           Case{"", "lists", "empty"},
       }) {
    const auto lists = load(one.text);
    ASSERT_FALSE(lists.ok()) << one.text;
    EXPECT_EQ(lists.error().code, Code::bad_input);
    const std::string& message = lists.error().message;
    EXPECT_TRUE(message.starts_with("lists")) << message;
    EXPECT_NE(message.find(one.line), std::string::npos) << message;
    EXPECT_NE(message.find(one.cause), std::string::npos) << message;
    for (const char* id : {"ann", "carl", "zebra", "late"})
      EXPECT_EQ(message.find(id), std::string::npos) << message;
  }
}

// Any order of the lines, with scores: the obvious way with a map of sorted lists.
RC_GTEST_PROP(GivenLists, AgreeWithAMapOfSortedLists, ()) {
  struct Line {
    std::string user, item;
    int score;
  };
  std::vector<Line> lines;
  for (const char* item : {"d", "e"}) lines.push_back({"ann", item, *rc::gen::inRange(0, 3)});
  for (const char* item : {"a", "b"}) lines.push_back({"bob", item, *rc::gen::inRange(0, 3)});
  for (std::size_t n = lines.size(); n > 1; --n)
    std::swap(lines[n - 1], lines[*rc::gen::inRange<std::size_t>(0, n)]);
  std::string text = "user\titem\tscore\n";
  std::map<std::string, std::vector<Line>> expected;
  for (const Line& line : lines) {
    text += line.user + "\t" + line.item + "\t" + std::to_string(line.score) + "\n";
    auto& list = expected[line.user];
    // Before the first that is worse.
    list.insert(
        std::find_if(list.begin(), list.end(), [&](const Line& other) { return other.score < line.score; }),
        line);
  }
  const auto lists = load(text);
  RC_ASSERT(lists.ok());
  for (const auto& [user, list] : expected) {
    Names names;
    for (const Line& line : list) names.push_back(line.item);
    RC_ASSERT(list_of(*lists, user.c_str()) == names);
  }
}

}  // namespace sotto::data::given_lists_test
