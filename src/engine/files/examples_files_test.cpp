#include "engine/files/examples_files.h"

#include <gtest/gtest.h>

#include "base/compression.h"
#include "data/examples/generate_examples.h"
#include "engine/files/files.h"
#include "engine/files/testing/mnist_files.h"

namespace sotto::engine {
namespace {

std::filesystem::path empty_folder(const char* name) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(ExamplesFiles, PicturesComeBackPlainAndPacked) {
  const auto folder = empty_folder("sotto_mnist_files");
  const Examples made = generate_pictures({.training = 20, .test = 7, .side = 9}).value();
  ASSERT_TRUE(write_mnist(folder, made).ok());
  const auto images = folder / "t10k-images-idx3-ubyte";
  const Bytes plain = read_file(images).value();
  ASSERT_TRUE(write_file(folder / "t10k-images-idx3-ubyte.zst", compress(plain)).ok());
  std::filesystem::remove(images);
  const auto back = read_mnist(folder, {.height = 9, .width = 9});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->values, made.values);
  EXPECT_EQ(back->labels, made.labels);
  EXPECT_EQ(back->for_training, 20u);
  const auto other = read_mnist(folder, {.height = 28, .width = 28});
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("9 × 9 points where 28 × 28"), std::string::npos)
      << other.error().message;
}

TEST(ExamplesFiles, SaysWhichFileIsMissingOrPackedOtherwise) {
  const auto folder = empty_folder("sotto_mnist_missing");
  const auto missing = read_mnist(folder);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_NE(missing.error().message.find("there is no train-images-idx3-ubyte"), std::string::npos);
  ASSERT_TRUE(write_file(folder / "train-images-idx3-ubyte.gz", std::string_view("\x1f\x8b")).ok());
  EXPECT_NE(read_mnist(folder).error().message.find("gunzip"), std::string::npos);
}

TEST(ExamplesFiles, ReadsTheThreeTextFiles) {
  const auto folder = empty_folder("sotto_celeba_files");
  ASSERT_TRUE(write_file(folder / "identity_CelebA.txt", std::string_view("a.jpg 7\nb.jpg 3\n")).ok());
  ASSERT_TRUE(write_file(folder / "list_attr_celeba.txt",
                         std::string_view("2\nBlurry Hat Smiling\na.jpg -1 1 1\nb.jpg 1 -1 -1\n"))
                  .ok());
  EXPECT_EQ(read_celeba(folder).error().code, Code::not_found);
  ASSERT_TRUE(write_file(folder / "list_eval_partition.txt", std::string_view("a.jpg 2\nb.jpg 0\n")).ok());
  const auto read = read_celeba(folder);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->examples.labels, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(read->owners, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(read->examples.for_training, 1u);
}

}  // namespace
}  // namespace sotto::engine
