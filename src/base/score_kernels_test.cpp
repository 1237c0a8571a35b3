#include "base/score_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/kernels.h"
#include "base/rng.h"
#include "base/row_matrix.h"

namespace sotto::base::score_kernels_test {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t panel_items = kernels::panel_items;

// Runs `check` on every instruction set of the machine.
void on_every_target(const auto& check) {
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    SCOPED_TRACE(kernels::target_name());
    check();
  }
  kernels::use_target(0);
}

RowMatrix random_rows(std::size_t rows, std::size_t width, std::uint32_t round) {
  RowMatrix matrix(rows, width);
  for (std::uint32_t row = 0; row < rows; ++row) {
    Stream draws(3, Purpose::init_shared, round, row);
    for (float& value : matrix.values(row)) value = static_cast<float>(draws.normal());
  }
  return matrix;
}

std::vector<const float*> pointers(const RowMatrix& matrix) {
  std::vector<const float*> rows;
  for (std::size_t row = 0; row < matrix.rows(); ++row) rows.push_back(matrix.row(row));
  return rows;
}

float chain(const float* p, const float* q, std::size_t width) {
  float sum = 0.0f;
  for (std::size_t k = 0; k < width; ++k) sum = std::fma(p[k], q[k], sum);
  return sum;
}

// Few different values, so that ties abound.
std::vector<float> coarse_scores(std::size_t count, std::uint32_t round) {
  Stream draws(4, Purpose::init_shared, round);
  std::vector<float> scores;
  for (std::size_t n = 0; n < count; ++n) scores.push_back(static_cast<float>(draws.below(20)) - 10.0f);
  return scores;
}

TEST(ScoreKernels, EveryTargetGivesTheChainOfFusedMultiplyAdds) {
  on_every_target([] {
    for (std::size_t width = 1; width <= 70; ++width) {
      const std::size_t user_count = 1 + width % 15;
      const std::size_t item_count = 64 - width % 9;
      const RowMatrix users = random_rows(user_count, width, 1);
      const RowMatrix items = random_rows(item_count, width, 2);
      std::vector<float> thresholds(user_count);
      for (std::size_t u = 0; u < user_count; ++u) thresholds[u] = static_cast<float>(u) * 0.3f - 1.0f;
      AlignedBuffer<float> panel(kernels::panel_floats(width));
      AlignedBuffer<float> scores(user_count * panel_items);
      std::vector<std::uint64_t> above(user_count, 77);
      kernels::pack_panel(pointers(items), width, panel.data());
      kernels::score_panel(panel.data(), width, pointers(users), thresholds.data(), scores.data(),
                           above.data());
      for (std::size_t u = 0; u < user_count; ++u)
        for (std::size_t n = 0; n < panel_items; ++n) {
          const float expected = n < item_count ? chain(users.row(u), items.row(n), width) : 0.0f;
          const float score = scores.data()[u * panel_items + n];
          ASSERT_EQ(std::bit_cast<std::uint32_t>(score), std::bit_cast<std::uint32_t>(expected)) << width;
          ASSERT_EQ((above[u] >> n & 1) != 0, expected > thresholds[u]) << width;
        }
    }
  });
}

TEST(ScoreKernels, PackingFindsTheLargestValueAndWhatIsNotFinite) {
  on_every_target([] {
    for (const float odd : {-9.5f, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
      RowMatrix rows(7, 6);
      rows.row(5)[5] = odd;
      rows.row(1)[0] = 3.0f;
      AlignedBuffer<float> panel(kernels::panel_floats(6));
      const float most = kernels::pack_panel(pointers(rows), 6, panel.data());
      EXPECT_EQ(std::isfinite(most), std::isfinite(odd));
      if (std::isfinite(odd)) {
        EXPECT_EQ(most, 9.5f);
      }
    }
  });
}

TEST(ScoreKernels, LanesAbove) {
  std::vector<float> scores = coarse_scores(65, 1);
  scores[7] = std::numeric_limits<float>::quiet_NaN();
  on_every_target([&] {
    for (const float threshold : {-infinity, -3.0f, 0.0f, 9.0f}) {
      const std::uint64_t lanes = kernels::lanes_above(scores.data() + 1, threshold);
      for (std::size_t n = 0; n < panel_items; ++n)
        EXPECT_EQ((lanes >> n & 1) != 0, scores[n + 1] > threshold);
    }
  });
}

TEST(ScoreKernels, SinkingKeepsTheBestInOrderAndTiesInTheOrderTheyCame) {
  on_every_target([] {
    for (const std::size_t slots : {16u, 32u}) {
      std::vector<float> list(slots, -infinity);
      std::vector<std::uint32_t> numbers(slots, 0);
      std::vector<std::pair<float, std::uint32_t>> all;
      for (std::uint32_t panel = 0; panel < 5; ++panel) {
        const std::vector<float> scores = coarse_scores(panel_items, panel);
        const std::uint64_t lanes = Stream(6, Purpose::init_shared, panel).next_u64();
        for (std::uint32_t n = 0; n < panel_items; ++n)
          if ((lanes >> n & 1) != 0) all.emplace_back(scores[n], panel * 64 + n);
        kernels::sink_lanes(list.data(), numbers.data(), slots, scores.data(), panel * 64, lanes);
        std::stable_sort(all.begin(), all.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        for (std::size_t n = 0; n < slots; ++n) {
          ASSERT_EQ(list[n], n < all.size() ? all[n].first : -infinity) << n;
          if (n < all.size()) {
            ASSERT_EQ(numbers[n], all[n].second) << n;
          }
        }
      }
    }
  });
}

TEST(ScoreKernels, PairsAreCountedAsOneByOne) {
  on_every_target([] {
    for (std::uint32_t count = 0; count <= 70; ++count)
      for (const bool fine : {false, true}) {
        std::vector<float> scores = coarse_scores(panel_items, count);
        std::vector<float> sorted = coarse_scores(count, count + 100);
        // Without ties; some relevant scores lie outside all others.
        if (fine)
          for (float& score : sorted) score = score * 1.5f + 0.25f;
        std::sort(sorted.begin(), sorted.end());
        sorted.insert(sorted.end(), kernels::sorted_padding, infinity);
        const std::uint64_t left_out = Stream(8, Purpose::init_shared, count).next_u64();
        kernels::PairCount expected{.above = 5, .level = 6};
        kernels::PairCount pairs = expected;
        for (std::size_t n = 0; n < panel_items; ++n)
          for (std::size_t r = 0; r < count; ++r) {
            if ((left_out >> n & 1) != 0) continue;
            expected.above += scores[n] > sorted[r] ? 1 : 0;
            expected.level += scores[n] == sorted[r] ? 1 : 0;
          }
        kernels::count_pairs(scores.data(), left_out, sorted.data(), count, pairs);
        ASSERT_EQ(pairs, expected) << count;
      }
  });
}

}  // namespace sotto::base::score_kernels_test
