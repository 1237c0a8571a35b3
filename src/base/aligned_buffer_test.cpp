#include "base/aligned_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace sotto::base::aligned_buffer_test {

bool on_a_line(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % cache_line_bytes == 0; }

TEST(AlignedBuffer, StartsOnACacheLineAndKeepsItsNumbersWhenItGrows) {
  AlignedBuffer<std::int32_t> buffer(3);
  std::iota(buffer.data(), buffer.data() + 3, 7);
  for (const std::size_t size : {5u, 4u, 1000u}) {
    buffer.grow(size);
    EXPECT_GE(buffer.size(), size);
    EXPECT_TRUE(on_a_line(buffer.data()));
    EXPECT_EQ(buffer.data()[0], 7);
    EXPECT_EQ(buffer.data()[2], 9);
  }
}

TEST(AlignedBuffer, CopiesAreApartAndMovedFromIsEmpty) {
  AlignedBuffer<double> first(2);
  first.data()[0] = 1.5;
  first.data()[1] = 2.5;
  AlignedBuffer<double> second = first;
  second.data()[0] = 9.0;
  EXPECT_EQ(first.data()[0], 1.5);
  AlignedBuffer<double> third = std::move(second);
  EXPECT_EQ(third.data()[0], 9.0);
  EXPECT_EQ(second.size(), 0u);  // NOLINT: what is left behind is what is tested
  second.grow(4);
  EXPECT_EQ(second.size(), 4u);
}

}  // namespace sotto::base::aligned_buffer_test
