#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace sotto::base::result_test {

Result<int> half_of(int number) {
  if (number % 2 != 0) return fail(Code::bad_input, "the number is odd");
  return number / 2;
}

Result<int> quarter_of(int number) {
  SOTTO_TRY(const int half, half_of(number));
  SOTTO_TRY(const int quarter, half_of(half));
  return quarter;
}

Status even(int number) {
  SOTTO_TRY_DONE([&]() -> Status {
    if (number % 2 != 0) return fail(Code::usage, "odd");
    return Done{};
  }());
  return Done{};
}

TEST(Result, HoldsAValueOrAnError) {
  const auto good = half_of(8);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(good.value(), 4);
  EXPECT_EQ(*good, 4);
  const auto bad = half_of(7);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, Code::bad_input);
  EXPECT_EQ(bad.error().message, "the number is odd");
}

TEST(Result, TryPassesTheFirstErrorOn) {
  EXPECT_EQ(*quarter_of(12), 3);
  EXPECT_EQ(quarter_of(6).error().message, "the number is odd");
  EXPECT_TRUE(even(2).ok());
  EXPECT_EQ(even(3).error().code, Code::usage);
}

TEST(Result, CarriesWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> owned = std::move(result).value();
  EXPECT_EQ(*owned, 5);
}

TEST(Result, ChainingKeepsTheCodeAndPutsTheContextFirst) {
  const Error error = chained(fail(Code::io, "the disk is full"), "model.bin");
  EXPECT_EQ(error.code, Code::io);
  EXPECT_EQ(error.message, "model.bin: the disk is full");
}

TEST(ResultDeathTest, ReadingWhatIsNotThereIsABug) {
  EXPECT_DEATH(static_cast<void>(half_of(7).value()), "bug: a Result is read only when it holds a value");
  EXPECT_DEATH(static_cast<void>(half_of(8).error()), "bug: an error is read only when there is one");
}

}  // namespace sotto::base::result_test
