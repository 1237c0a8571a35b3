#include "privacy/contribution.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace sotto::privacy::contribution_test {

using Rows = std::vector<std::pair<std::uint32_t, std::int32_t>>;

// A contribution of width 2 whose rows hold (v, −v).
Contribution contribution_of(const Rows& rows) {
  ConsentGate gate({.pi = 1.0}, 1, 0, UserIndex{0});
  Contribution contribution(2);
  ContributionPipeline pipeline(gate, {}, contribution);
  for (const auto& [row, value] : rows) {
    pipeline.make_room(1);
    std::int32_t* out = pipeline.open(Evidence::positive, row);
    std::fill_n(out, contribution.stride(), 0);
    out[0] = value;
    out[1] = -value;
  }
  return contribution;
}

Rows rows_of(const Contribution& contribution) {
  Rows rows;
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    EXPECT_EQ(contribution.values(n)[1], -contribution.values(n)[0]);
    rows.emplace_back(contribution.row(n), contribution.values(n)[0]);
  }
  return rows;
}

TEST(Contribution, PipelineLeavesOutWhatConsentForbids) {
  ConsentGate gate({.pi = 0.0}, 1, 0, UserIndex{0});
  Contribution contribution(2);
  ContributionPipeline pipeline(gate, {}, contribution);
  EXPECT_EQ(pipeline.open(Evidence::positive, 4), nullptr);
  EXPECT_NE(pipeline.open(Evidence::negative, 5), nullptr);
  ASSERT_EQ(contribution.size(), 1u);
  EXPECT_EQ(contribution.row(0), 5u);
}

TEST(Contribution, CanonicalFormSortsAndAddsUp) {
  Contribution contribution = contribution_of({{7, 10}, {2, 1}, {7, -3}, {2, 5}, {0, 4}});
  contribution.make_canonical();
  EXPECT_EQ(rows_of(contribution), (Rows{{0, 4}, {2, 6}, {7, 7}}));
}

TEST(Contribution, ASumBeyondTheRangeStaysInTwoEntries) {
  Contribution contribution = contribution_of({{3, fixed_limit}, {3, fixed_limit}});
  contribution.make_canonical();
  EXPECT_EQ(rows_of(contribution), (Rows{{3, fixed_limit}, {3, fixed_limit}}));
}

RC_GTEST_PROP(ContributionLaw, CanonicalFormDependsOnlyOnTheMultiset, ()) {
  const auto entry = rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 6), rc::gen::inRange(-1000, 1000));
  const Rows rows = *rc::gen::container<Rows>(entry);
  Rows shuffled = rows;
  std::reverse(shuffled.begin(), shuffled.end());
  std::rotate(shuffled.begin(), shuffled.begin() + static_cast<std::ptrdiff_t>(shuffled.size() / 3),
              shuffled.end());
  Contribution a = contribution_of(rows);
  Contribution b = contribution_of(shuffled);
  a.make_canonical();
  b.make_canonical();
  RC_ASSERT(rows_of(a) == rows_of(b));
  std::map<std::uint32_t, std::int32_t> sums;
  for (const auto& [row, value] : rows) sums[row] += value;
  RC_ASSERT(rows_of(a) == Rows(sums.begin(), sums.end()));
}

}  // namespace sotto::privacy::contribution_test
