#include "data/text_format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/text_source.h"
#include "data/values.h"

namespace sotto::data::text_format_test {

std::string described(std::string_view text, const std::string& columns = "") {
  const auto format = detect_format("f", text, columns);
  return format.ok() ? describe(*format) : "error: " + format.error().message;
}

TEST(TextFormat, IsKnownFromContent) {
  EXPECT_EQ(described("1\t2\n"), "tab-separated without a header: user=1 item=2");
  EXPECT_EQ(described("1::2::3::978300760\n"),
            "::-separated without a header: user=1 item=2 rating=3 time=4");
  EXPECT_EQ(described("a|b|3\n"), "|-separated without a header: user=1 item=2 rating=3");
  EXPECT_EQ(described("0 1 2 3\n1 2\n"), "adjacency list: a user, then items");
  EXPECT_EQ(described("0 1\n1 2\n"), "adjacency list: a user, then items");
  EXPECT_EQ(described("user item rating\n0 1 2\n1 2 4\n"),
            "blank-separated with a header: user=1 item=2 rating=3");
  EXPECT_EQ(described("user_id:token\titem_id:token\ttimestamp:float\na\tb\t1333447208\n"),
            "tab-separated with a header: user=1 item=2 time=3");
  EXPECT_EQ(described("Timestamp,UID,Score,IID,note\n1333447208,u,3,i,hello\n"),
            "comma-separated with a header: user=2 item=4 rating=3 time=1");
}

TEST(TextFormat, FirstLineWithNumbersIsNoHeader) {
  EXPECT_EQ(described("1,a,x\n2,b,4\n3,c,5\n"), "comma-separated without a header: user=1 item=2 rating=3");
}

TEST(TextFormat, TrailingSeparatorsAreIgnored) {
  EXPECT_EQ(described("1\t2\t3\t\n4\t5\t6\t\n"), "tab-separated without a header: user=1 item=2 rating=3");
}

TEST(TextFormat, BlanksInIdsDoNotMakeAList) {
  EXPECT_EQ(described("Ann Lee\tRed Shoes\nBo Ek\tBlue Hat\n"),
            "tab-separated without a header: user=1 item=2");
}

TEST(TextFormat, RefusesBadColumnChoices) {
  for (const char* columns : {"user", "user=1", "item=1", "user=1,item=0", "user=1,item=",
                              "user=1,item=2,user=3", "user=1,item=2,colour=3", "user=1,,item=2"}) {
    const auto choices = parse_columns(columns);
    ASSERT_FALSE(choices.ok()) << columns;
    EXPECT_EQ(choices.error().code, Code::usage);
    EXPECT_NE(choices.error().message.find("user=1,item=2"), std::string::npos);
  }
  EXPECT_TRUE(parse_columns("").value().empty());
  EXPECT_EQ(parse_columns(" item = 2 , user = who ").value()[1].where, "who");
}

TEST(Values, ReadsDates) {
  // Seconds worked out by hand: 15,433 days to 2012-04-03.
  const std::int64_t day = 15433LL * 86400;
  EXPECT_EQ(parse_date("2012-04-03"), day);
  EXPECT_EQ(parse_date("2012-04-03T18:20:27Z"), day + 66027);
  EXPECT_EQ(parse_date("2012-04-03 18:20:27"), day + 66027);
  EXPECT_EQ(parse_date("2012-04-03T18:20"), day + 66000);
  EXPECT_EQ(parse_date("2012-04-03T18:20:27.123+02:00"), day + 66027 - 7200);
  EXPECT_EQ(parse_date("Tue Apr 03 18:20:27 +0000 2012"), day + 66027);
  EXPECT_EQ(parse_date("1970-01-01"), 0);
  EXPECT_EQ(parse_date("1969-12-31"), -86400);
  EXPECT_EQ(parse_date("2000-02-29"), 11016LL * 86400);
  for (const char* bad : {"", "2012-4-3", "2012-02-30", "1900-02-29", "2012-04-03T", "2012-04-03T24:00:00Z",
                          "2012-04-03x", "2012-04-03T10:00:00.", "Tue Apr 03 18:20:27 2012",
                          "Tux Apr 03 18:20:27 +0000 2012", "Tue Apr 03 18:20:27 +0000 2012 "})
    EXPECT_FALSE(parse_date(bad).has_value()) << bad;
}

TEST(Values, ReadsNumbers) {
  EXPECT_EQ(parse_number("42"), 42.0);
  EXPECT_EQ(parse_number("999999999999999"), 999999999999999.0);
  EXPECT_EQ(parse_number("-4.5e1"), -45.0);
  for (const char* bad : {"", " 1", "1 ", "1,5", "0x10", "+", "one", "1e"})
    EXPECT_FALSE(parse_number(bad).has_value()) << bad;
  EXPECT_EQ(whole_seconds(1333447208.9), 1333447208);
  EXPECT_EQ(whole_seconds(-0.5), -1);
  EXPECT_EQ(whole_seconds(1333447208123.0), 1333447208);
  EXPECT_EQ(whole_seconds(1333447208123456.0), 1333447208);
  EXPECT_FALSE(whole_seconds(1e300).has_value());
}

TEST(TextSource, KnowsUtf8) {
  EXPECT_TRUE(is_utf8("plain ascii of some length, é, €, 😀"));
  for (const std::string_view bad : {"\xE9", "abcdefgh\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                                     "\xE0\x80\x80", "\xF4\x90\x80\x80", "\x80"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(TextSource, CountsLinesAndSkipsBlankOnes) {
  LineReader lines("a\r\n\n  \nb\nc");
  std::string_view line;
  std::string seen;
  while (lines.next(line)) seen += fmt::format("{}{}", line, lines.number());
  EXPECT_EQ(seen, "a1b4c5");
}

TEST(TextSource, SplitsFields) {
  const auto joined = [](const char* separator, std::string_view line) {
    FieldSplitter splitter(separator);
    std::vector<std::string_view> fields;
    if (!splitter.split(line, fields)) return std::string("refused");
    std::string text;
    for (const std::string_view field : fields) text += fmt::format("[{}]", field);
    return text;
  };
  EXPECT_EQ(joined(",", "a, b ,,c"), "[a][b][][c]");
  EXPECT_EQ(joined(",", "\"a,b\",\"c \"\"d\"\"\" , e"), "[a,b][c \"d\"][e]");
  EXPECT_EQ(joined(",", "\"\","), "[][]");
  EXPECT_EQ(joined(",", "a,\"b"), "refused");
  EXPECT_EQ(joined(",", "\"a\"b,c"), "refused");
  EXPECT_EQ(joined("::", "a::b:c::"), "[a][b:c][]");
  EXPECT_EQ(joined("\t", "a\t\"b\t"), "[a][\"b][]");
  EXPECT_EQ(joined(" ", "  a   b "), "[a][b]");
}

TEST(TextSource, ExcerptsAreShortAndPrintable) {
  EXPECT_EQ(excerpt("4,5"), "'4,5'");
  EXPECT_EQ(excerpt("a\x01\x1B"),
            "'a?"
            "?'");
  EXPECT_EQ(excerpt(std::string(41, 'x')), fmt::format("'{}…'", std::string(40, 'x')));
}

}  // namespace sotto::data::text_format_test
