#include "lab/report/markup.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace sotto::lab {
namespace {

TEST(Markup, what_could_end_an_attribute_or_begin_an_element_is_escaped) {
  EXPECT_EQ(escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(escaped("π ≥ 0.5, 日本"), "π ≥ 0.5, 日本");
  EXPECT_EQ(escaped(std::string("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(escaped("\xC0\xAF|\xED\xA0\x80|\xF5"),  // too long, a surrogate, beyond Unicode
            "\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD");
}

RC_GTEST_PROP(Markup, any_bytes_become_text_that_is_safe, (const std::string& bytes)) {
  const std::string text = escaped(bytes);
  RC_ASSERT(text.find_first_of("<>\"'") == std::string::npos);
  // A strict reader of UTF-8 that is not ours.
  RC_ASSERT(!nlohmann::json(text).dump().empty());
}

TEST(Markup, places_are_short) {
  EXPECT_EQ(coordinate(1.0), "1");
  EXPECT_EQ(coordinate(1.256), "1.26");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(-12.5), "-12.5");
  EXPECT_EQ(coordinate(100.0), "100");
}

TEST(Markup, numbers_for_people) {
  EXPECT_EQ(short_number(0.0123456), "0.01235");
  EXPECT_EQ(short_number(1234567.0), "1,234,567");
  EXPECT_EQ(short_number(-1234.4), "-1,234");
  EXPECT_EQ(short_number(-0.0), "0");
  EXPECT_EQ(short_number(NAN), "n/a");
}

TEST(Markup, slugs_name_files) {
  EXPECT_EQ(slug("Amazon DM: sFPL+ (lr 0.05)"), "amazon-dm-sfpl-plus-lr-0-05");
  EXPECT_EQ(slug("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(slug("日本"), "x");
}

}  // namespace
}  // namespace sotto::lab
