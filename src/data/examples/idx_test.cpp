#include "data/examples/idx.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sotto::data::idx_test {

using namespace std::string_literals;

// Two pictures of 2 × 3 points, written out byte by byte.
const std::string images =
    "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03"s + "\x01\x02\x03\x04\x05\x06"s + "\x0b\x0c\x0d\x0e\x0f\xff"s;
const std::string labels = "\0\0\x08\x01\0\0\0\x02\x07\x00"s;

Result<Examples> read(const std::string& pictures, const std::string& names, const IdxOptions& options = {}) {
  return read_idx({"images", pictures}, {"labels", names}, options);
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Idx, ReadsBytesWrittenByHand) {
  const auto examples = read(images, labels);
  ASSERT_TRUE(examples.ok()) << examples.error().message;
  EXPECT_EQ(examples->height, 2u);
  EXPECT_EQ(examples->width, 3u);
  EXPECT_EQ(examples->classes, 10u);
  EXPECT_EQ(examples->for_training, 2u);
  EXPECT_EQ(examples->labels, (std::vector<std::uint8_t>{7, 0}));
  EXPECT_EQ(examples->values, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 255}));
  EXPECT_EQ(examples->of(1)[5], 255);
  EXPECT_EQ(text_of(idx_training_part(*examples).images), images);
  EXPECT_EQ(text_of(idx_training_part(*examples).labels), labels);
}

TEST(Idx, PutsTheTestPartBehind) {
  const std::string one = "\0\0\x08\x03\0\0\0\x01\0\0\0\x02\0\0\0\x03"s + "abcdef";
  const std::string its = "\0\0\x08\x01\0\0\0\x01\x09"s;
  const auto both = read_idx({{"a", images}, {"b", labels}, {"c", one}, {"d", its}});
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(both->for_training, 2u);
  EXPECT_EQ(both->labels, (std::vector<std::uint8_t>{7, 0, 9}));
  EXPECT_EQ(both->of(2)[0], 'a');
  EXPECT_EQ(text_of(idx_test_part(*both).images), one);
  EXPECT_EQ(text_of(idx_test_part(*both).labels), its);
  const std::string wide = "\0\0\x08\x03\0\0\0\x01\0\0\0\x03\0\0\0\x02"s + "abcdef";
  const auto uneven = read_idx({{"a", images}, {"b", labels}, {"c", wide}, {"d", its}});
  ASSERT_FALSE(uneven.ok());
  EXPECT_EQ(uneven.error().message,
            "c: its pictures are 3 × 2 points and those of a are 2 × 3; give files that belong together");
}

TEST(Idx, NamesWhatIsWrong) {
  const auto changed = [](std::string bytes, std::size_t at, char to) {
    bytes[at] = to;
    return bytes;
  };
  struct Case {
    std::string images, labels, says;
  };
  const std::vector<Case> cases{
      {"", labels, "images: truncated: it has 0 bytes"},
      {images.substr(0, 15), labels,
       "it has 15 bytes, and the header of an idx file of images alone needs 16"},
      {changed(images, 2, 9), labels, "images: it begins with 0x00000903 where"},
      {labels + "12345678", labels, "images and labels are swapped"},
      {images.substr(0, 27), labels, "images: truncated: it has 27 bytes where 2 pictures need 28"},
      {images + "x", labels, "images: too long: it has 29 bytes where 2 pictures need 28"},
      {changed(images, 4, '\xff'), labels, "truncated: it has 28 bytes where 4278190082 pictures need"},
      {changed(images, 8, '\xff'), labels, "its header says pictures of 4278190082 × 3 points"},
      {changed(images, 11, 0), labels, "its header says pictures of 0 × 3 points"},
      {changed(images, 7, 0), labels, "it holds no pictures"},
      {images, labels.substr(0, 9), "labels: truncated: it has 9 bytes where 2 labels need 10"},
      {images, "\0\0\x08\x01\0\0\0\x01\x07"s, "labels: 1 labels for the 2 pictures of images"},
      {images, changed(labels, 9, 10), "labels: label 2 (byte 9) is 10, above 9"},
  };
  for (const Case& wrong : cases) {
    const auto read_back = read(wrong.images, wrong.labels);
    ASSERT_FALSE(read_back.ok()) << wrong.says;
    EXPECT_EQ(read_back.error().code, Code::bad_input);
    EXPECT_NE(read_back.error().message.find(wrong.says), std::string::npos) << read_back.error().message;
  }
  const auto small = read(images, labels, {.height = 28, .width = 28});
  ASSERT_FALSE(small.ok());
  EXPECT_NE(small.error().message.find("2 × 3 points where 28 × 28 are expected"), std::string::npos);
}

RC_GTEST_PROP(Idx, WhatIsWrittenReadsBack, ()) {
  Examples examples;
  examples.height = *rc::gen::inRange(1u, 9u);
  examples.width = *rc::gen::inRange(1u, 9u);
  examples.classes = 10;
  const std::size_t train = *rc::gen::inRange<std::size_t>(1, 9), test = *rc::gen::inRange<std::size_t>(1, 9);
  examples.for_training = train;
  examples.labels =
      *rc::gen::container<std::vector<std::uint8_t>>(train + test, rc::gen::inRange<std::uint8_t>(0, 10));
  examples.values = *rc::gen::container<std::vector<std::uint8_t>>((train + test) * examples.size(),
                                                                   rc::gen::arbitrary<std::uint8_t>());
  const IdxFiles first = idx_training_part(examples), second = idx_test_part(examples);
  const std::string a = text_of(first.images), b = text_of(first.labels), c = text_of(second.images),
                    d = text_of(second.labels);
  const auto back = read_idx({{"a", a}, {"b", b}, {"c", c}, {"d", d}});
  RC_ASSERT(back.ok());
  RC_ASSERT(back->values == examples.values && back->labels == examples.labels);
  RC_ASSERT(back->for_training == train && back->height == examples.height);
}

}  // namespace sotto::data::idx_test
