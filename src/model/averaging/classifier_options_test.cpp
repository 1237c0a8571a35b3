#include "model/averaging/classifier_options.h"

#include <gtest/gtest.h>

namespace sotto::model::classifier_options_test {

Examples form(std::uint32_t height, std::uint32_t width, std::uint32_t classes) {
  return {height, width, classes, {}, {}, {}, 0};
}

std::string complaint(const ClassifierOptions& options, const Examples& examples) {
  const Status status = check(options, examples);
  return status.ok() ? "" : status.error().message;
}

TEST(ClassifierOptions, LayersFollowFromThePictures) {
  const auto layers = classifier_layers({}, form(28, 28, 10));
  ASSERT_EQ(layers.size(), 4u);
  EXPECT_EQ(layers[0].parameters(), 832u);     // 32 · (25 + 1)
  EXPECT_EQ(layers[1].parameters(), 51'264u);  // 64 · (32 · 25 + 1)
  EXPECT_EQ(layers[2].in, 64u * 7 * 7);
  EXPECT_EQ(layers[3].parameters(), 5'130u);
  const auto rows = classifier_layers({.kind = ClassifierKind::dense, .hidden = {}}, form(1, 39, 2));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].parameters(), 80u);
}

TEST(ClassifierOptions, WhatCannotBeBuiltIsNamed) {
  EXPECT_EQ(complaint({}, form(28, 28, 10)), "");
  EXPECT_EQ(complaint({}, form(9, 5, 10)), "");
  EXPECT_NE(complaint({}, form(1, 39, 2)).find("too small"), std::string::npos);
  EXPECT_NE(complaint({.channels = {8, 8, 8, 8, 8}}, form(28, 28, 10)).find("layer 5"), std::string::npos);
  EXPECT_NE(complaint({}, form(28, 28, 1)).find("two classes"), std::string::npos);
  EXPECT_NE(complaint({}, form(0, 28, 10)).find("0 × 28"), std::string::npos);
  EXPECT_NE(complaint({.filter = 4}, form(28, 28, 10)).find("odd"), std::string::npos);
  EXPECT_NE(complaint({.channels = {}}, form(28, 28, 10)).find("dense"), std::string::npos);
  EXPECT_NE(complaint({.hidden = {0}}, form(28, 28, 10)).find("neurons"), std::string::npos);
  EXPECT_NE(complaint({.hidden = {65536, 65536}}, form(28, 28, 10)).find("parameters"), std::string::npos);
  EXPECT_EQ(complaint({.kind = ClassifierKind::dense, .hidden = {}}, form(1, 39, 2)), "");
}

TEST(ClassifierOptions, SizesAreCheckedBeforeThereAreExamples) {
  EXPECT_TRUE(check_sizes({}).ok());
  EXPECT_FALSE(check_sizes({.filter = 40}).ok());
  EXPECT_FALSE(check_sizes({.channels = {}}).ok());
  EXPECT_FALSE(check_sizes({.hidden = {0}}).ok());
  EXPECT_TRUE(check_sizes({.kind = ClassifierKind::dense, .filter = 40}).ok());
}

TEST(ClassifierOptions, NamesAreReadBack) {
  for (const auto kind : {ClassifierKind::cnn, ClassifierKind::dense})
    EXPECT_EQ(parse_classifier_kind(to_string(kind)).value(), kind);
  for (const auto accelerator : {Accelerator::cpu, Accelerator::cuda})
    EXPECT_EQ(parse_accelerator(to_string(accelerator)).value(), accelerator);
  EXPECT_EQ(parse_classifier_kind("tree").error().code, Code::usage);
  EXPECT_EQ(parse_accelerator("tpu").error().code, Code::usage);
}

}  // namespace sotto::model::classifier_options_test
