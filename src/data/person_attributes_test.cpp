#include "data/person_attributes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace sotto::data::person_attributes_test {

std::string value_of(const PersonAttributes& people, const std::string& person, std::size_t column) {
  const std::uint32_t value = people.values[column][*people.people.find(person)];
  return value == no_value ? "-" : std::string(people.columns[column].values.name(value));
}

std::string refusal(const std::string& text) {
  const auto people = load_person_attributes({"people", text});
  return people.ok() ? std::string("(none)") : people.error().message;
}

TEST(PersonAttributes, TheFilesOfMovieLensAreKnown) {
  const PersonAttributes people =
      load_person_attributes({"u.user", "1|24|M|technician|85711\n2|53|F|other|94043\n3|7|M|caf\xE9|T8H1N\n"})
          .value();
  ASSERT_EQ(people.columns.size(), 3u) << "no zip codes";
  EXPECT_EQ(people.columns[0].name, "age");
  EXPECT_EQ(value_of(people, "1", 0), "20-29");
  EXPECT_EQ(value_of(people, "3", 0), "0-9");
  EXPECT_EQ(value_of(people, "2", 1), "F");
  EXPECT_EQ(value_of(people, "3", 2), "caf\xC3\xA9");
  const PersonAttributes others =
      load_person_attributes({"users.dat", "1::F::1::10::48067\n2::M::56::16::70072\n"}).value();
  EXPECT_EQ(others.columns[1].name, "age");
  EXPECT_EQ(value_of(others, "2", 1), "56");
  EXPECT_EQ(value_of(others, "1", 0), "F");
}

TEST(PersonAttributes, AnyTableUnderAHeader) {
  const PersonAttributes people =
      load_person_attributes({"p.csv", "user,city,plan\nann,\"Paris, Texas\",free\nbob,,paid\ncy,?,NA\n"})
          .value();
  EXPECT_EQ(value_of(people, "ann", 0), "Paris, Texas");
  EXPECT_EQ(value_of(people, "bob", 0), "-");
  EXPECT_EQ(value_of(people, "cy", 1), "-");
}

TEST(PersonAttributes, ManyNumbersBecomeTenths) {
  std::string text = "user\tincome\tkids\n";
  for (int person = 0; person < 100; ++person)
    text += fmt::format("p{}\t{}\t{}\n", person, 1000 + 7 * person, person % 4);
  const PersonAttributes people = load_person_attributes({"p.tsv", text}).value();
  EXPECT_EQ(people.columns[0].values.size(), 10u);
  EXPECT_EQ(value_of(people, "p0", 0), "1000 to 1063");
  EXPECT_EQ(value_of(people, "p9", 0), "1000 to 1063");
  EXPECT_EQ(value_of(people, "p10", 0), "1070 to 1133");
  EXPECT_EQ(value_of(people, "p99", 0), "1630 to 1693");
  EXPECT_EQ(value_of(people, "p6", 1), "2") << "few numbers are words";
}

TEST(PersonAttributes, WhatIsWrongIsNamedByLineAndWithoutIds) {
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal("user,age\n").find("nobody"), std::string::npos);
  EXPECT_NE(refusal("secret,age\nann,4\n").find("line 1"), std::string::npos);
  EXPECT_NE(refusal("user,a,a\nann,4,5\n").find("line 1"), std::string::npos);
  const std::string twice = refusal("user,age\nann,4\nbob,5\nann,6\n");
  EXPECT_NE(twice.find("people, line 4"), std::string::npos) << twice;
  EXPECT_EQ(twice.find("ann"), std::string::npos) << twice;
  EXPECT_NE(refusal("user,age\nann,4\nbob\n").find("line 3"), std::string::npos);
  EXPECT_NE(refusal("1|24|M|x|85711\n2|old|F|y|94043\n").find("line 2"), std::string::npos);
  std::string words = "user,motto\n";
  for (int person = 0; person < 300; ++person) words += fmt::format("p{},motto {}\n", person, person);
  EXPECT_NE(refusal(words).find("300 different words"), std::string::npos) << refusal(words);
}

}  // namespace sotto::data::person_attributes_test
