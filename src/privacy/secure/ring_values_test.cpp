#include "privacy/secure/ring_values.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sotto::privacy::ring_values_test {

RC_GTEST_PROP(RangeLaw, ThePlannedRingHoldsTheSumAndNoSmallerOneDoes, ()) {
  const auto devices = *rc::gen::inRange<std::uint32_t>(1, 200000);
  const auto limit = *rc::gen::inRange<std::int32_t>(1, 1 << 30);
  const SumRange range = plan_range(devices, limit).value();
  const __int128 most = static_cast<__int128>(devices) * limit;
  RC_ASSERT(most <= (static_cast<__int128>(1) << (range.bits - 1)) - 1);
  if (range.bits > 2) {
    RC_ASSERT(most > (static_cast<__int128>(1) << (range.bits - 2)) - 1);
    RC_ASSERT(!plan_range(devices, limit, range.bits - 1).ok());
  }
  RC_ASSERT(plan_range(devices, limit, 64).ok());
  RC_ASSERT(!plan_range(devices, limit, 65).ok());
}

TEST(Range, ALimitOfNothingIsRefused) {
  EXPECT_FALSE(plan_range(10, 0).ok());
  EXPECT_FALSE(plan_range(10, -5).ok());
}

RC_GTEST_PROP(RingLaw, MasksCancelAndPackingComesBack, ()) {
  const auto bits = *rc::gen::inRange<std::uint32_t>(2, 65);
  const auto entries = *rc::gen::inRange<std::size_t>(1, 60);
  const std::int32_t limit = bits > 31 ? INT32_MAX : (1 << (bits - 1)) - 1;
  const auto input =
      *rc::gen::container<std::vector<std::int32_t>>(entries, rc::gen::inRange<std::int32_t>(-limit, limit));
  RingValues values(entries, bits);
  values.add(input);
  values.add_mask(Secret(Bytes32{1}));
  const auto masked = values.packed();
  RC_ASSERT(masked.size() == (entries * bits + 7) / 8);
  values.add_mask(Secret(Bytes32{2}));
  RingValues other(entries, bits);  // over the wire and without the first mask
  RC_ASSERT(other.is_packed(values.packed()));
  other.add_packed(values.packed());
  other.subtract_mask(Secret(Bytes32{2}));
  RC_ASSERT(other.packed() == masked);
  other.subtract_mask(Secret(Bytes32{1}));
  for (std::size_t n = 0; n < entries; ++n) RC_ASSERT(other.value(n) == input[n]);
  RC_ASSERT(!other.is_packed(std::span(masked).first(masked.size() - 1)));
}

// Bit n of value v is bit v · bits + n of the bytes.
TEST(Ring, PackingPutsBitsOneAfterTheOther) {
  RingValues values(3, 11);
  const std::vector<std::int32_t> input{1, -1, 513};
  values.add(input);
  const auto packed = values.packed();
  ASSERT_EQ(packed.size(), 5u);
  for (std::size_t value = 0; value < 3; ++value)
    for (std::size_t bit = 0; bit < 11; ++bit) {
      const std::size_t at = value * 11 + bit;
      const int got = (static_cast<int>(packed[at / 8]) >> (at % 8)) & 1;
      EXPECT_EQ(got, (input[value] >> bit) & 1);
    }
  auto loose = packed;  // 33 bits: the rest of the last byte must be zero
  loose.back() |= std::byte{0x80};
  EXPECT_TRUE(values.is_packed(packed));
  EXPECT_FALSE(values.is_packed(loose));
}

}  // namespace sotto::privacy::ring_values_test
