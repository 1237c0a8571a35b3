#include "fed/history_sink.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/rng.h"
#include "model/fcf.h"
#include "model/fed_als.h"
#include "privacy/contribution.h"

namespace sotto::fed::history_sink_test {

constexpr std::size_t catalogue = 12;
constexpr std::uint32_t devices = 300;
constexpr FixedPoint fixed{.bits = 22};  // so that some sums outgrow 32 bits
using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

AlsOptions options() { return {.factors = 3, .lambda = 0.1f, .confidence = 2.0f, .init_sd = 0.5f}; }

Sums released(Aggregator&& aggregator, std::size_t width) {
  Sums sums;
  std::move(aggregator).release([&](std::uint32_t row, const auto* sum) {
    sums[row].assign(sum, sum + width);
  });
  return sums;
}

// One device's answer into a sink.
template <class Model, class Sink>
void answer(const Model& model, const FactorSide& received, std::uint32_t user, Sink& sink) {
  std::vector<ItemIndex> history;
  Stream draws(9, Purpose::generate_world, 0, user);
  for (std::uint32_t item = 0; item < catalogue; ++item)
    if (draws.chance(0.4)) history.push_back(ItemIndex{item});
  RowMatrix own(1, model.shared_width());
  model.start_private(UserIndex{0}, own.row(0));
  typename Model::Device device(model);
  const HistoryVisit visit{&received, history, own.row(0)};
  ASSERT_TRUE(device.solve(visit).solved);
  ASSERT_TRUE(device.contribute(visit, sink).finite);
}

template <class Model>
void check_sums(const Model& model) {
  SerialExecutor alone;
  const FactorSide received(model.start_shared(), alone);
  for (const double pi : {0.0, 0.5, 1.0}) {
    const ConsentPolicy policy{pi, MaskKind::sticky};
    const auto gate = [&](std::uint32_t user) { return ConsentGate(policy, 7, 2, UserIndex{user}); };
    SumSpace straight_space(model.sum_rows(), model.sum_width());
    Aggregator straight(straight_space);
    for (std::uint32_t user = 0; user < devices; ++user) {
      HistorySink sink(straight, fixed, gate(user));
      answer(model, received, user, sink);
    }
    // The same by contributions, backwards, over two sums.
    SumSpace first_space(model.sum_rows(), model.sum_width());
    SumSpace second_space(model.sum_rows(), model.sum_width());
    Aggregator first(first_space), second(second_space);
    Contribution sent(model.sum_width());
    for (std::uint32_t user = devices; user-- > 0;) {
      sent.clear();
      ContributionPipeline pipeline(gate(user), fixed, sent);
      answer(model, received, user, pipeline);
      ASSERT_TRUE((user % 3 == 0 ? first : second).accept(sent).ok());
    }
    first.merge(std::move(second));
    EXPECT_EQ(straight.contributions(), first.contributions());
    EXPECT_EQ(straight.distinct_rows(), first.distinct_rows());
    EXPECT_EQ(released(std::move(straight), model.sum_width()), released(std::move(first), model.sum_width()))
        << pi;
  }
}

TEST(HistorySink, GivesTheSumsAndCountsOfContributionsInAnyOrderAndSplit) {
  check_sums(FedAls(options(), catalogue));
  check_sums(Fcf({.als = options()}, catalogue, 1.0));
}

TEST(HistorySink, ASumOverEverybodyComesFirstAndCountsThem) {
  const FedAls model(options(), catalogue);
  SerialExecutor alone;
  const FactorSide received(model.start_shared(), alone);
  SumSpace space(model.sum_rows(), model.sum_width());
  Aggregator sum(space);
  for (std::uint32_t user = 0; user < devices; ++user) {
    HistorySink sink(sum, fixed, ConsentGate({.pi = 1.0}, 7, 2, UserIndex{user}));
    answer(model, received, user, sink);
  }
  std::vector<std::uint32_t> order;
  std::int64_t count = 0;
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    if (order.empty()) count = values[model.sum_width() - 1];
    order.push_back(row);
  });
  EXPECT_EQ(order.front(), 0u);
  EXPECT_EQ(count, std::int64_t{devices} << fixed.bits);  // 300 · 2^22 is more than 32 bits hold
}

}  // namespace sotto::fed::history_sink_test
