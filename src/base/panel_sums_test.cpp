#include "base/panel_sums.h"

#include <gtest/gtest.h>

#include "base/aligned_buffer.h"
#include "base/kernels.h"
#include "base/rng.h"

namespace sotto::base::panel_sums_test {

TEST(PanelSums, EveryTargetAddsInOrder) {
  constexpr std::size_t rows = 40, wide = 64;
  AlignedBuffer<float> panel(rows * wide), sums(wide);
  Stream draws(1, Purpose::init_shared);
  for (std::size_t n = 0; n < panel.size(); ++n) panel.data()[n] = static_cast<float>(draws.normal());
  for (const std::vector<std::uint32_t>& chosen :
       {std::vector<std::uint32_t>{}, {7}, {39, 0, 5, 5, 12, 31, 2, 8, 9}})
    for (const std::int64_t target : kernels::runnable_targets()) {
      kernels::use_target(target);
      kernels::sum_rows(panel.data(), chosen, sums.data());
      for (std::size_t n = 0; n < wide; ++n) {
        float expected = 0.0f;
        for (const std::uint32_t row : chosen) expected += panel.data()[row * wide + n];
        EXPECT_EQ(sums.data()[n], expected) << kernels::target_name();
      }
    }
  kernels::use_target(0);
}

}  // namespace sotto::base::panel_sums_test
