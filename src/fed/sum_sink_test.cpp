#include "fed/sum_sink.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "fed/contribute.h"

namespace sotto::fed::sum_sink_test {

constexpr std::size_t rows = 40;
constexpr std::size_t each = 5;
using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

struct Round {
  std::vector<VisitPlace> visits;
  std::vector<Pair> pairs;
};

Round some_round() {
  Round round;
  for (std::uint32_t user = 0; user < 7; ++user) {
    round.visits.push_back({3, UserIndex{user}});
    for (std::uint32_t n = 0; n < each; ++n)
      round.pairs.push_back({ItemIndex{(user * 3 + n * n) % 20}, ItemIndex{20 + (user + n) % 20}});
  }
  return round;
}

Sums released(Aggregator&& aggregator, std::size_t width) {
  Sums sums;
  std::move(aggregator).release([&](std::uint32_t row, const auto* sum) {
    sums[row].assign(sum, sum + width);
  });
  return sums;
}

TEST(SumSink, GivesTheSumsAndCountsOfContributionsOneByOne) {
  const Round round = some_round();
  for (const double pi : {0.0, 0.4, 1.0}) {
    for (const MaskKind mask : {MaskKind::redraw, MaskKind::sticky}) {
      Plan plan;
      plan.consent = {pi, mask};
      plan.fpl.factors = 6;
      const Fpl model(plan.fpl, rows, 1);
      const RowMatrix shared = model.start_shared();
      SumSpace direct_space(rows, 7);
      SumSpace wire_space(rows, 7);
      Aggregator direct(direct_space);
      Aggregator wire(wire_space);
      ConsentAnswers answers(round.pairs.size());
      allow_positives(plan.consent, plan.seed, round.visits, round.pairs, answers);
      DeviceWork work(7);
      RowMatrix own(2 * round.visits.size(), 7);
      RowMatrix scratch(1, 7);
      for (std::size_t v = 0; v < round.visits.size(); ++v) {
        model.start_private(round.visits[v].user, own.row(2 * v));
        model.start_private(round.visits[v].user, own.row(2 * v + 1));
        Visit visit{.shared = &shared,
                    .own = own.row(2 * v),
                    .scratch = scratch.row(0),
                    .pairs = std::span(round.pairs).subspan(v * each, each),
                    .user = round.visits[v].user,
                    .round = round.visits[v].round};
        SumSink sink(direct, plan.fixed, visit.pairs, each, answers, v * each);
        const VisitReport straight = model.fit(std::span<const Visit>(&visit, 1), std::span(&sink, 1));
        visit.own = own.row(2 * v + 1);
        const VisitReport sent = work.contribute(model, plan, std::span<const Visit>(&visit, 1));
        ASSERT_TRUE(wire.accept(work.contribution(0)).ok());
        EXPECT_EQ(straight.loss_units, sent.loss_units);
      }
      EXPECT_EQ(direct.contributions(), wire.contributions());
      EXPECT_EQ(direct.distinct_rows(), wire.distinct_rows());
      EXPECT_EQ(released(std::move(direct), 7), released(std::move(wire), 7)) << pi;
    }
  }
}

TEST(SumSinkDeathTest, ARowThatConsentWasNotAskedAboutDoesNotLeave) {
  const Round round = some_round();
  SumSpace space(rows, 7);
  Aggregator sum(space);
  ConsentAnswers answers(round.pairs.size());
  allow_positives({.pi = 1.0}, 1, round.visits, round.pairs, answers);
  SumSink sink(sum, {}, round.pairs, each, answers, 0);
  EXPECT_DEATH(static_cast<void>(sink.open(Evidence::positive, round.pairs[0].positive.value + 1)),
               "was not asked");
}

}  // namespace sotto::fed::sum_sink_test
