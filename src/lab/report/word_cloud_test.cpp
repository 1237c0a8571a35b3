#include "lab/report/word_cloud.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

namespace sotto::lab {
namespace {

std::vector<CloudWord> some_words(std::size_t count, std::size_t longest) {
  std::vector<CloudWord> words;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t length = *rc::gen::inRange<std::size_t>(1, longest);
    const std::string text = *rc::gen::container<std::string>(length, rc::gen::inRange(' ', '~'));
    words.push_back({text, *rc::gen::inRange(1, 1000) / 10.0, n % 2, ""});
  }
  return words;
}

// Two words overlap if some point is strictly inside both: told by the corners of both projections.
bool overlap(const PlacedWord& a, const PlacedWord& b) {
  const double across = std::min(a.left + a.width, b.left + b.width) - std::max(a.left, b.left);
  const double along = std::min(a.top + a.height, b.top + b.height) - std::max(a.top, b.top);
  return across > 1e-9 && along > 1e-9;
}

RC_GTEST_PROP(WordCloud, words_stand_apart_inside_and_by_weight, ()) {
  const std::vector<CloudWord> words = some_words(*rc::gen::inRange<std::size_t>(0, 60), 70);
  const double width = *rc::gen::element(320.0, 500.0, 732.0);
  const CloudLayout layout = lay_out_cloud(words, width);
  RC_ASSERT(layout.words.size() == words.size());
  for (std::size_t n = 0; n < layout.words.size(); ++n) {
    const PlacedWord& one = layout.words[n];
    RC_ASSERT(one.left >= 0.0 && one.left + one.width <= width + 1e-9);
    RC_ASSERT(one.top >= 0.0 && one.top + one.height <= layout.height + 1e-9);
    RC_ASSERT(one.size >= 9.0);
    for (std::size_t m = 0; m < n; ++m) {
      const PlacedWord& heavier = layout.words[m];
      RC_ASSERT(!overlap(one, heavier));
      RC_ASSERT(words[heavier.word].weight >= words[one.word].weight);
      RC_ASSERT(heavier.size >= one.size);
      if (words[heavier.word].weight == words[one.word].weight) RC_ASSERT(heavier.size == one.size);
    }
  }
}

// The box is what the letters take: width in a known face, and area by weight.
TEST(WordCloud, boxes_follow_the_letters_and_weights) {
  EXPECT_LT(letters_width("illi"), letters_width("wwww") / 3.0);
  EXPECT_NEAR(letters_width("ab cd"), 5 * 0.5 * 1.07, 0.15);
  EXPECT_GT(letters_width("é"), 0.5);
  EXPECT_LT(letters_width("é"), 0.8);
  const CloudLayout layout = lay_out_cloud({{"one", 4.0, 0, ""}, {"two", 2.0, 0, ""}}, 700.0);
  ASSERT_EQ(layout.words.size(), 2u);
  EXPECT_NEAR(layout.words[0].size / layout.words[1].size, 2.0, 1e-9);
  EXPECT_EQ(layout.words[0].word, 0u);
}

TEST(WordCloud, long_texts_take_two_lines) {
  const std::string text = "Films that won the Best Sound Mixing Academy Award";
  const CloudLayout layout = lay_out_cloud({{text, 1.0, 0, ""}, {std::string(60, 'x'), 1.0, 0, ""}}, 700.0);
  ASSERT_EQ(layout.words.size(), 2u);
  ASSERT_EQ(layout.words[0].lines.size(), 2u);
  EXPECT_EQ(layout.words[0].lines[0] + " " + layout.words[0].lines[1], text);
  EXPECT_EQ(layout.words[1].lines.size(), 1u);  // nowhere to cut
  EXPECT_GE(layout.words[0].height, 2.0 * layout.words[0].size);
}

TEST(WordCloud, what_has_no_weight_is_no_word) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const CloudLayout layout =
      lay_out_cloud({{"nothing", 0.0, 0, ""}, {"lost", nan, 0, ""}, {"there", 2.0, 0, ""}}, 400.0);
  ASSERT_EQ(layout.words.size(), 1u);
  EXPECT_EQ(layout.words[0].word, 2u);
  EXPECT_TRUE(lay_out_cloud({}, 400.0).words.empty());
}

TEST(WordCloud, is_drawn_with_its_colours_and_escaped) {
  WordCloud cloud;
  cloud.head = {"features", "Features", "The most informative ones."};
  cloud.weight_label = "gain";
  cloud.keys = {"in both", "only here"};
  cloud.words = {{"Science & fiction <films>", 3.0, 0, "dct:subject"}, {"Plays", 1.0, 1, ""}};
  const std::string svg = svg_of(cloud, Dress::alone);
  EXPECT_EQ(svg, svg_of(cloud, Dress::alone));
  EXPECT_NE(svg.find("&lt;films&gt;</tspan>"), std::string::npos);
  EXPECT_NE(svg.find("gain: 3\ndct:subject"), std::string::npos);
  EXPECT_EQ(svg.find("style=\""), std::string::npos);
  const std::regex series(
      R"re(<g class="series (p\d)" data-series="(\d)" data-name="([^"]*)" data-n="1">)re");
  std::vector<std::string> names;
  for (std::sregex_iterator match(svg.begin(), svg.end(), series), end; match != end; ++match)
    names.push_back((*match)[3]);
  EXPECT_EQ(names, (std::vector<std::string>{"in both", "only here"}));
  EXPECT_NE(svg_of(Chart{cloud}, Dress::in_page).find("class=\"chart cloud\""), std::string::npos);
}

}  // namespace
}  // namespace sotto::lab
