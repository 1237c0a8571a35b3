#include "data/loader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace sotto::data::loader_test {

Result<Dataset> load(std::string_view text, const std::string& columns = "") {
  const TextSource source{"file.txt", text};
  return load_interactions(std::span(&source, 1), {columns});
}

// "user item rating time" for each record, in order.
std::vector<std::string> records(const Dataset& dataset) {
  std::vector<std::string> lines;
  for (const Interaction& row : dataset.interactions)
    lines.push_back(fmt::format("{} {} {} {}", dataset.users.name(row.user.value),
                                dataset.items.name(row.item.value), static_cast<int>(row.rating * 10),
                                row.time));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Loader, ReadsTabsWithoutHeader) {
  const auto data = load("196\t242\t3\t881250949\n186\t302\t4\t891717742\n196\t7\t1\t878887116\n");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(records(*data), (Lines{"196 242 30 881250949", "196 7 10 878887116", "186 302 40 891717742"}));
  EXPECT_EQ(data->time_kind, TimeKind::unix_seconds);
  EXPECT_TRUE(data->has_ratings);
  EXPECT_EQ(data->repeated, 0u);
}

TEST(Loader, ReadsDoubleColons) {
  const auto data = load("1::1193::5::978300760\n1::661::3::978302109\n2::661::4::978302110\n");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(records(*data), (Lines{"1 1193 50 978300760", "1 661 30 978302109", "2 661 40 978302110"}));
}

TEST(Loader, ReadsCommasWithHeaderAndCarriageReturns) {
  const auto data =
      load("\xEF\xBB\xBFuserId,movieId,rating,timestamp\r\n1,10,4.5,964982703\r\n2,11,0.5,964981247");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(records(*data), (Lines{"1 10 45 964982703", "2 11 5 964981247"}));
}

TEST(Loader, ReadsRanksInPlaceOfTimes) {
  const auto data = load("1\t3186\t4\t0\n1\t1721\t4\t1\n2\t3186\t5\t0\n");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->time_kind, TimeKind::rank);
  EXPECT_EQ(records(*data), (Lines{"1 3186 40 0", "1 1721 40 1", "2 3186 50 0"}));
}

TEST(Loader, TellsTimeFromRatingInThreeColumns) {
  const auto times = load("0\t0\t1333447208.0\n1\t20\t1333447209.5\n");
  ASSERT_TRUE(times.ok()) << times.error().message;
  EXPECT_FALSE(times->has_ratings);
  EXPECT_EQ(records(*times), (Lines{"0 0 10 1333447208", "1 20 10 1333447209"}));
  const auto ratings = load("1\t1800030906\t5.0\n1\t1800256362\t4.0\n");
  ASSERT_TRUE(ratings.ok()) << ratings.error().message;
  EXPECT_TRUE(ratings->has_ratings);
  EXPECT_EQ(ratings->time_kind, TimeKind::none);
}

TEST(Loader, ReadsCheckInsWithDatesAndCategories) {
  const auto data = load(
      "user_id\tvenue_id\ttype\tutc\n58\tab1\tItalian Restaurant\tTue Apr 03 18:20:27 +0000 2012\n"
      "19\tab1\tItalian Restaurant\tSat Jul 07 19:14:13 +0000 2012\n19\tcd2\tGym\tSun Jul 08 00:00:00 +0200 "
      "2012\n");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(records(*data), (Lines{"58 ab1 10 1333477227", "19 ab1 10 1341688453", "19 cd2 10 1341698400"}));
  EXPECT_EQ(data->item_categories, (Lines{"Italian Restaurant", "Gym"}));
  EXPECT_EQ(data->time_kind, TimeKind::unix_seconds);
}

TEST(Loader, ReadsCheckInsWithoutHeader) {
  const auto data = load("58\tab1\tGym\t2012-04-03T18:20:27Z\n19\tcd2\tBar\t2012-04-03\n");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(records(*data), (Lines{"58 ab1 10 1333477227", "19 cd2 10 1333411200"}));
  EXPECT_EQ(data->item_categories, (Lines{"Gym", "Bar"}));
}

TEST(Loader, ReadsAdjacencyLists) {
  const auto data = load("0 5 7 9 \n1 7\n2\n3  5 11\n");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(records(*data), (Lines{"0 5 10 0", "0 7 10 0", "0 9 10 0", "1 7 10 0", "3 5 10 0", "3 11 10 0"}));
  EXPECT_EQ(data->users.size(), 4u);  // the one without items is there too
  EXPECT_EQ(data->time_kind, TimeKind::none);
}

TEST(Loader, TellsBlankSeparatedRowsFromLists) {
  const auto rows = load("1 10 4\n1 11 5\n2 10 3\n");  // a user on two lines: no list
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->interactions.size(), 3u);
  EXPECT_TRUE(rows->has_ratings);
  const auto times = load("1 10 1333447208\n2 11 1333447209\n");
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->time_kind, TimeKind::unix_seconds);
  const auto list = load("1 10 4\n2 11 5\n");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->interactions.size(), 4u);
}

TEST(Loader, ReadsQuotedFieldsAndKeepsIdsAsWritten) {
  const auto data =
      load("user,item,rating\n\"Smith, J\",\"say \"\"hi\"\"\",5\n007, 0x1F ,4\n7,\"\xC3\xA9\",3\n");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->users.name(0), "Smith, J");
  EXPECT_EQ(data->items.name(0), "say \"hi\"");
  EXPECT_EQ(data->users.name(1), "007");
  EXPECT_EQ(data->items.name(1), "0x1F");
  EXPECT_EQ(data->users.name(2), "7");
  EXPECT_EQ(data->items.name(2), "é");
}

TEST(Loader, TakesColumnsByPositionOrName) {
  const std::string text = "when;what;who;points\n2020-01-02;a;x;3\n2020-01-03;b;y;4\n";
  for (const char* columns :
       {"user=3,item=2,rating=4,time=1", "user=who,item=what,rating=points,time=when"}) {
    const auto data = load(text, columns);
    ASSERT_TRUE(data.ok()) << data.error().message;
    EXPECT_EQ(records(*data), (Lines{"x a 30 1577923200", "y b 40 1578009600"}));
  }
  const auto swapped = load("a\tx\t3\nb\ty\t4\n", "item=1,user=2");
  ASSERT_TRUE(swapped.ok());
  EXPECT_EQ(records(*swapped), (Lines{"x a 10 0", "y b 10 0"}));
}

TEST(Loader, CollapsesRepeatsToTheLatest) {
  const auto timed = load("u,i,1,978300760\nu,i,5,978300790\nu,i,2,978300770\nu,j,3,978300760\n");
  ASSERT_TRUE(timed.ok());
  EXPECT_EQ(records(*timed), (Lines{"u i 50 978300790", "u j 30 978300760"}));
  EXPECT_EQ(timed->repeated, 2u);
  const auto plain = load("u,i,1\nu,i,5\nu,i,2\n");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(records(*plain), (Lines{"u i 20 0"}));
}

TEST(Loader, JoinsSources) {
  const std::vector<TextSource> sources{{"one.tsv", "user_id\titem_id\nu1\ta\nu2\ta\n"},
                                        {"two.csv", "u2,b\nu3,a\n"}};
  const auto data = load_interactions(sources);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(records(*data), (Lines{"u1 a 10 0", "u2 a 10 0", "u2 b 10 0", "u3 a 10 0"}));
}

TEST(Loader, TurnsLatin1IntoUtf8AndMillisecondsIntoSeconds) {
  const auto data = load("Jos\xE9\tcaf\xE9\t4\t1333477227123\nb\tc\t3\t1333477228000\n");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->users.name(0), "José");
  EXPECT_EQ(data->items.name(0), "café");
  EXPECT_EQ(data->interactions[0].time, 1333477227);
}

struct Refusal {
  const char* title;
  std::string text;
  std::string columns;
  std::vector<std::string> says;
};

TEST(Loader, RefusesBadInputWithFileLineCauseAndRemedy) {
  const std::vector<Refusal> cases{
      {"columns", "1\t2\t3\n4\t5\n6\t7\t8\n", "", {"file.txt, line 2", "2 columns where 3", "correct"}},
      {"number", "1\t2\t3\n4\t5\tgood\n6\t7\t8\n", "", {"line 2", "'good' is not a number"}},
      {"negative", "1\t2\t3\n4\t5\t-1\n", "", {"line 2", "'-1' is negative"}},
      {"nan", "1\t2\t3\n4\t5\t6\n4\t7\tnan\n", "", {"line 3", "'nan' is not a finite number"}},
      {"inf", "1\t2\t3\n4\t5\t6\n4\t7\tinf\n", "", {"line 3", "'inf' is not a finite number"}},
      {"beyond float", "1\t2\t3\n4\t5\t6\n4\t7\t1e300\n", "", {"line 3", "not a finite number"}},
      {"date",
       "1\t2\t2012-04-03\n3\t4\t2012-13-03\n5\t6\t2012-04-04\n",
       "",
       {"line 2", "'2012-13-03' is neither"}},
      {"mixed times",
       "1\t2\t2012-04-03\n3\t4\t1333477227\n5\t6\t2012-04-04\n",
       "",
       {"line 2", "mixed formats"}},
      {"empty user", "1\t2\t3\n\t5\t6\n", "", {"line 2", "user id is empty"}},
      {"empty item", "1\t2\t3\n4\t\t6\n", "", {"line 2", "item id is empty"}},
      {"quote", "user,item\n1,\"2\n", "", {"line 2", "close the quote"}},
      {"tab in id", "user,item\n1,\"a\tb\"\n", "", {"line 2", "holds a tab"}},
      {"endless id", "user,item\n1," + std::string(5000, 'x') + "\n", "", {"line 2", "longer than"}},
      {"nothing", "", "", {"file.txt", "empty"}},
      {"blank lines", "\n \r\n\n", "", {"file.txt", "empty"}},
      {"header alone", "user,item,rating\n", "", {"file.txt", "no interactions"}},
      {"one column", "1\n2\n3\n", "", {"no recognisable columns"}},
      {"unknown header", "foo,bar,baz\n1,2,3\n4,5,6\n", "", {"header names no user", "name the columns"}},
      {"names file", "1::Moonrise::Drama\n2::Sunset::Comedy\n", "", {"column 3", "name the columns"}},
      {"too many", "1\t2\t3\t4\t5\n1\t3\t4\t5\t6\n", "", {"column 5", "name the columns"}},
      {"zero byte", std::string("1\t2\n3\t\0\n", 8), "", {"line 2", "not a text file"}},
      {"utf-16", "\xFF\xFE\x31", "", {"UTF-16"}},
      {"mixed separators", "1\t2\t3\n4,5,6\n7\t8\t9\n", "", {"line 2", "1 column where 3"}},
      {"no such column", "1\t2\n3\t4\n", "user=1,item=9", {"column 9", "has 2"}},
      {"no such name", "user\titem\n3\t4\n", "user=who,item=item", {"names no column 'who'"}},
  };
  for (const Refusal& bad : cases) {
    const auto data = load(bad.text, bad.columns);
    ASSERT_FALSE(data.ok()) << bad.title;
    EXPECT_EQ(data.error().code, Code::bad_input) << bad.title;
    for (const std::string& words : bad.says)
      EXPECT_NE(data.error().message.find(words), std::string::npos)
          << bad.title << ": " << data.error().message;
  }
}

TEST(Loader, ErrorsNeverTellIds) {
  for (const char* text :
       {"secretu\tsecreti\t3\nsecretu\tsecretj\tx\n", "secretu\tsecreti\t3\nsecretu\tsecretj\n",
        "secretu,secreti,\nsecretu,\"secret\n", "\tsecreti\t3\n", "secretu::secreti::secret\n"}) {
    const auto data = load(text);
    ASSERT_FALSE(data.ok()) << text;
    EXPECT_EQ(data.error().message.find("secret"), std::string::npos) << data.error().message;
  }
  const auto data = load("1\t2\t3\n1\t2\t4\n4\t5\t" + std::string(300, '9') + "x\n");
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().message.find(std::string(41, '9')), std::string::npos);
}

TEST(Loader, RefusesSourcesThatDoNotFitTogether) {
  for (const std::string_view other : {"1\t3\n2\t3\n", "1\t2\t3\t978300760\n", "1\t2\t3\t7\n"}) {
    const std::vector<TextSource> sources{{"a.tsv", "1\t2\t3\n"}, {"b.tsv", other}};
    const auto data = load_interactions(sources);
    ASSERT_FALSE(data.ok());
    EXPECT_NE(data.error().message.find("b.tsv: mixed formats"), std::string::npos) << data.error().message;
  }
  EXPECT_FALSE(load_interactions({}).ok());
}

// Any records, written as CSV in any order: what comes back is the slow map's content.
RC_GTEST_PROP(Loader, EqualsSlowMap, ()) {
  struct Row {
    int user, item, rating, time;
  };
  const auto rows = *rc::gen::nonEmpty(rc::gen::container<std::vector<Row>>(
      rc::gen::construct<Row>(rc::gen::inRange(0, 6), rc::gen::inRange(0, 6), rc::gen::inRange(0, 6),
                              rc::gen::inRange(200'000'000, 200'000'004))));
  std::string text = "user,item,rating,time\n";
  std::map<std::pair<int, int>, Row> expected;
  for (const Row& row : rows) {
    text += fmt::format("u{},i{},{},{}\n", row.user, row.item, row.rating, row.time);
    auto& kept = expected.try_emplace({row.user, row.item}, row).first->second;
    if (row.time >= kept.time) kept = row;
  }
  const auto data = load(text);
  RC_ASSERT(data.ok());
  RC_ASSERT(data->interactions.size() == expected.size());
  RC_ASSERT(data->repeated == rows.size() - expected.size());
  for (std::size_t k = 0; k < data->interactions.size(); ++k) {
    const Interaction& row = data->interactions[k];
    if (k > 0) {
      const Interaction& before = data->interactions[k - 1];
      RC_ASSERT(before.user < row.user || (before.user == row.user && before.item < row.item));
    }
    const std::string user(data->users.name(row.user.value)), item(data->items.name(row.item.value));
    const Row& kept = expected.at({std::stoi(user.substr(1)), std::stoi(item.substr(1))});
    RC_ASSERT(static_cast<int>(row.rating) == kept.rating);
    RC_ASSERT(row.time == kept.time);
  }
}

// A person's own file need not say whose it is; one that says it is read as ever.
TEST(Loader, OnePersonsFileMayLackTheUser) {
  const auto own = [](std::string_view text, const std::string& columns = "") {
    const TextSource source{"mine", text};
    return load_interactions(std::span(&source, 1), {.columns = columns, .needs_user = false});
  };
  const auto named = own("item,rating,time\na,4,1300000000\nb,2,1300000001\n");
  ASSERT_TRUE(named.ok()) << named.error().message;
  EXPECT_EQ(named->users.size(), 1u);
  EXPECT_EQ(named->interactions.size(), 2u);
  EXPECT_FALSE(load("item,rating,time\na,4,1300000000\nb,2,1300000001\n").ok());
  const auto placed = own("a\t4\nb\t2\n", "item=1,rating=2");
  ASSERT_TRUE(placed.ok()) << placed.error().message;
  EXPECT_EQ(placed->users.size(), 1u);
  EXPECT_EQ(own("user,item\nu,a\nv,a\n")->users.size(), 2u);
  EXPECT_FALSE(own("user,rating\nu,3\n").ok());  // what nobody can do without
}

}  // namespace sotto::data::loader_test
