#include "data/examples/celeba.h"

#include <gtest/gtest.h>

namespace sotto::data::celeba_test {

const std::string identities = "1.jpg 30\n2.jpg 20\n3.jpg 30\n4.jpg 10\n";
const std::string attributes =
    "4\nBald Blurry Smiling Young \n"
    "1.jpg -1  1  1 -1\n"
    "2.jpg  1 -1 -1  1\n"
    "4.jpg -1 -1  1  1\n"
    "3.jpg -1  1 -1 -1\n";
const std::string partition = "1.jpg 0\n2.jpg 2\n3.jpg 1\n4.jpg 0\n";

Result<OwnedExamples> read(const std::string& who, const std::string& what, const std::string& part,
                           const CelebaOptions& options = {}) {
  return read_celeba({{"who", who}, {"what", what}, {"part", part}}, options);
}

TEST(Celeba, ReadsLabelsMarksAndOwners) {
  const auto read_back = read(identities, attributes, partition);
  ASSERT_TRUE(read_back.ok()) << read_back.error().message;
  const Examples& examples = read_back->examples;
  EXPECT_EQ(examples.height, 1u);
  EXPECT_EQ(examples.width, 3u);
  EXPECT_EQ(examples.classes, 2u);
  // 1, 3, 4 and then 2, which is for testing.
  EXPECT_EQ(examples.for_training, 3u);
  EXPECT_EQ(examples.labels, (std::vector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(examples.marks, (std::vector<std::uint8_t>{0, 0, 1, 1}));
  EXPECT_EQ(examples.values, (std::vector<std::uint8_t>{0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 0, 255}));
  EXPECT_EQ(read_back->owners, (std::vector<std::uint32_t>{0, 0, 2, 1}));
  EXPECT_EQ(read_back->people, 3u);
}

TEST(Celeba, AnyAttributeMayBeLabelOrMark) {
  const auto read_back =
      read(identities, attributes, partition, {.label = "Young", .mark = "Bald", .marked_without = false});
  ASSERT_TRUE(read_back.ok()) << read_back.error().message;
  EXPECT_EQ(read_back->examples.labels, (std::vector<std::uint8_t>{0, 0, 1, 1}));
  EXPECT_EQ(read_back->examples.marks, (std::vector<std::uint8_t>{0, 0, 0, 1}));
  const auto typo = read(identities, attributes, partition, {.label = "Smilling"});
  ASSERT_FALSE(typo.ok());
  EXPECT_EQ(typo.error().message, "what, line 2: no attribute is called 'Smilling'; did you mean 'Smiling'?");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(Celeba, ErrorsNameFileAndLine) {
  struct Case {
    std::string who, what, part, says;
  };
  const std::vector<Case> cases{
      {"", attributes, partition, "who: no picture stands in it"},
      {identities + "1.jpg 5\n", attributes, partition, "who, line 5: this picture stands in the file twice"},
      {identities + "5.jpg\n", attributes, partition, "who, line 5: 1 columns where 2 are expected"},
      {identities, "", partition, "what: it is empty"},
      {identities, replaced(attributes, "4\n", "four\n"), partition, "what, line 1: the first line is not"},
      {identities, "4\n", partition, "what: it ends after the first line"},
      {identities, replaced(attributes, "Bald", "Young"), partition, "what, line 2: two attributes have"},
      {identities, "4\nSmiling\n1.jpg 1\n", partition, "what, line 2: one attribute alone"},
      {identities, replaced(attributes, "2.jpg  1", "2.jpg  0"), partition, "what, line 4: a value is '0'"},
      {identities, replaced(attributes, "2.jpg  1", "2.jpg"), partition, "what, line 4: 4 columns where 5"},
      {identities, replaced(attributes, "2.jpg", "9.jpg"), partition, "what, line 4: no person is known"},
      {identities, replaced(attributes, "2.jpg", "1.jpg"), partition, "what, line 4: this picture stands"},
      {identities, replaced(attributes, "4\n", "5\n"), partition,
       "what: 4 lines of values; its first line says 5"},
      {identities + "5.jpg 1\n", attributes, partition,
       "what: 4 lines of values; its first line says 4 pictures, and 5"},
      {identities, attributes, replaced(partition, "3.jpg 1", "3.jpg 3"), "part, line 3: the part is '3'"},
      {identities, attributes, replaced(partition, "3.jpg", "1.jpg"), "part, line 3: this picture stands"},
      {identities, attributes, "1.jpg 0\n", "part: 1 lines where 4 pictures"},
  };
  for (const Case& wrong : cases) {
    const auto read_back = read(wrong.who, wrong.what, wrong.part);
    ASSERT_FALSE(read_back.ok()) << wrong.says;
    EXPECT_NE(read_back.error().message.find(wrong.says), std::string::npos) << read_back.error().message;
    EXPECT_EQ(read_back.error().message.find(".jpg"), std::string::npos) << "no picture is named";
  }
}

// A hundred thousand short lines in one file and as many names in another must not ask for their product.
TEST(Celeba, DoesNotAllocateWhatTheFilesCannotHold) {
  std::string who, what = "1\nSmiling Blurry";
  for (int n = 0; n < 100'000; ++n) {
    who += std::to_string(n) + " 1\n";
    what += " " + std::to_string(n);
  }
  const auto read_back = read(who, what + "\n", partition);
  ASSERT_FALSE(read_back.ok());
  EXPECT_NE(read_back.error().message.find("too short"), std::string::npos) << read_back.error().message;
}

}  // namespace sotto::data::celeba_test
