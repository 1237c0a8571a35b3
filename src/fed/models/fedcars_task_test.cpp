// Fed-CARS's half of the seam: what a person keeps back is in no contribution, and which contributions a
// server takes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fed/models/testing/usual_spec.h"
#include "fed/wire/device_fit.h"

namespace sotto::fed::fedcars_task_test {
namespace {

constexpr std::uint32_t items = 24;
const std::vector<ItemIndex> history{{1}, {2}, {5}, {8}, {13}, {21}};

Task small_task() {
  v1::TaskSpec spec = usual_spec(fedcars_task, items);
  spec.set_seed(5);
  return *read_task(spec);
}

// A device's contributions to a round that counts and to one that learns.
std::vector<Contribution> sent(const ConsentTerms& terms, const DeviceKnowledge& known,
                               const std::vector<ItemIndex>& has = history) {
  const Task task = small_task();
  DeviceFit device(task, {5, UserIndex{2}}, has, terms, {}, known);
  ServerState state = task.model->server(task)->start();
  std::vector<Contribution> all;
  for (std::uint32_t round = 0; round < 2; ++round) {
    Private<RowMatrix> own = device.start();
    all.push_back(**device.fit(round, state.shared, own.on_device()));
    state.shared.row(state.shared.rows() - 1)[0] = 1.0f;  // as if it had counted
  }
  return all;
}

bool is_same(const std::vector<Contribution>& one, const std::vector<Contribution>& other) {
  for (std::size_t n = 0; n < one.size(); ++n) {
    if (one[n].size() != other[n].size()) return false;
    for (std::size_t r = 0; r < one[n].size(); ++r)
      if (one[n].row(r) != other[n].row(r) ||
          !std::equal(one[n].values(r), one[n].values(r) + one[n].stride(), other[n].values(r)))
        return false;
  }
  return true;
}

// Whether the weather of all records says anything.
DeviceKnowledge with_weather(std::uint32_t value) {
  DeviceKnowledge known = usual_knowledge(items, history);
  Contexts contexts = *known.contexts;
  for (std::uint32_t& one : contexts.train.values) one = value;
  known.contexts = std::make_shared<const Contexts>(std::move(contexts));
  return known;
}

TEST(FedcarsOverANetwork, AContextThatIsOffIsInNoContribution) {
  ConsentTerms terms;
  terms.contexts.shares = {0.0f, 1.0f};
  EXPECT_TRUE(is_same(sent(terms, with_weather(0)), sent(terms, with_weather(2))));
  terms.contexts.shares = {};
  EXPECT_FALSE(is_same(sent(terms, with_weather(0)), sent(terms, with_weather(2)))) << "it would be seen";
}

TEST(FedcarsOverANetwork, OfAPartOfAContextWhatIsNotCarriedIsInNoContribution) {
  ConsentTerms terms;
  terms.contexts.shares = {0.5f, 1.0f};
  DeviceKnowledge some = with_weather(0), other = with_weather(0);
  Contexts changed = *other.contexts;
  bool any = false;
  for (std::size_t k = 0; k < history.size(); ++k)
    if (!carries(5, UserIndex{2}, history[k], 0, 0.5f)) changed.train.values[k] = 2, any = true;
  ASSERT_TRUE(any);
  other.contexts = std::make_shared<const Contexts>(changed);
  EXPECT_TRUE(is_same(sent(terms, some), sent(terms, other)));
}

TEST(FedcarsOverANetwork, TheRatingOfAnItemUnderNeverIsInNoContribution) {
  ConsentTerms terms;
  terms.rules.assign(items, ItemRule::none);
  terms.rules[5] = ItemRule::never;
  DeviceKnowledge other = usual_knowledge(items, history);
  Records records = *other.records;
  records.train.ratings[2] = 5.0f;
  ASSERT_NE(other.records->train.ratings[2], 5.0f);
  other.records = std::make_shared<const Records>(std::move(records));
  EXPECT_TRUE(is_same(sent(terms, usual_knowledge(items, history)), sent(terms, other)));
  terms.rules[5] = ItemRule::none;
  EXPECT_FALSE(is_same(sent(terms, usual_knowledge(items, history)), sent(terms, other)));
}

TEST(FedcarsOverANetwork, ARuleThatKeepsBackASingleFeatureStopsTheWork) {
  const Task task = small_task();
  ConsentTerms terms;
  terms.kept_back = {FeatureIndex{1}};
  DeviceFit device(task, {5, UserIndex{2}}, history, terms, {}, usual_knowledge(items, history));
  Private<RowMatrix> own = device.start();
  const auto made = device.fit(0, task.model->server(task)->start().shared, own.on_device());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, Code::incompatible);
  EXPECT_NE(made.error().message.find("whole dimensions"), std::string::npos) << made.error().message;
}

TEST(FedcarsOverANetwork, WithoutRatingsOrWithAnotherVocabularyADeviceHasNothingToAnswerWith) {
  const Task task = small_task();
  const auto can = [&](const DeviceKnowledge& known) {
    return DeviceFit(task, {5, UserIndex{2}}, history, {}, {}, known).can_answer();
  };
  EXPECT_TRUE(can(usual_knowledge(items, history)));
  EXPECT_FALSE(can({}));
  EXPECT_FALSE(can(usual_knowledge(items)));
  DeviceKnowledge other = usual_knowledge(items, history);
  other.contexts = nullptr;
  EXPECT_FALSE(can(other));
  EXPECT_NE(fedcars_task.check_known(task, other).error().message.find("another vocabulary"),
            std::string::npos);
  v1::TaskSpec spec;
  EXPECT_NE(fedcars_task.take_known({}, spec).error().message.find("rating_scale"), std::string::npos);
}

RC_GTEST_PROP(FedcarsOverANetwork, EveryHonestContributionIsTaken, ()) {
  std::vector<ItemIndex> has;
  for (std::uint32_t item = 0; item < items; ++item)
    if (*rc::gen::arbitrary<bool>()) has.push_back({item});
  RC_PRE(!has.empty());
  const ConsentTerms terms{.pi = *rc::gen::element(0.0, 0.5, 1.0), .mask = MaskKind::redraw, .rules = {}};
  const Task task = small_task();
  const auto server = task.model->server(task);
  for (const Contribution& one : sent(terms, usual_knowledge(items, has), has))
    RC_ASSERT(server->check(one).ok());
}

// The same with every number as `change` makes it: change(row, column, value).
template <class Change>
std::string why(const Contribution& made, const Change& change) {
  Contribution out(made.width());
  ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), FixedPoint{}, out);
  for (std::size_t n = 0; n < made.size(); ++n) {
    std::int32_t* row = pipeline.open_row(made.row(n));
    for (std::size_t k = 0; k < made.width(); ++k) row[k] = change(made.row(n), k, made.values(n)[k]);
  }
  const Task task = small_task();
  const Status taken = task.model->server(task)->check(out);
  return taken.ok() ? "" : taken.error().message;
}

TEST(FedcarsOverANetwork, ACountThatNobodyCanHaveIsRefused) {
  const Contribution made = sent({}, usual_knowledge(items, history))[1];
  const std::uint32_t tally = made.row(made.size() - 1);
  ASSERT_EQ(why(made, [](auto, auto, std::int32_t value) { return value; }), "");
  const auto with = [&](std::size_t column, std::int32_t value) {
    return why(made, [=](std::uint32_t row, std::size_t k, std::int32_t was) {
      return row == tally && k == column ? value : was;
    });
  };
  EXPECT_NE(with(0, 0).find("fewer or more"), std::string::npos);
  EXPECT_NE(with(0, fixed_limit).find("fewer or more"), std::string::npos);
  EXPECT_NE(with(3, 1).find("more than a count"), std::string::npos);
  EXPECT_NE(with(10, fixed_limit).find("more than a count"), std::string::npos);
  Contribution twice(made.width()), none(made.width());
  ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), FixedPoint{}, twice);
  pipeline.open_row(3)[0] = 5;
  pipeline.open_row(3)[0] = 5;
  EXPECT_NE(why(twice, [](auto, auto, std::int32_t value) { return value; }).find("a row twice"),
            std::string::npos);
  ContributionPipeline other(ConsentGate({}, 1, 0, UserIndex{0}), FixedPoint{}, none);
  other.open_row(3)[0] = 5;
  EXPECT_NE(why(none, [](auto, auto, std::int32_t value) { return value; }).find("how many records"),
            std::string::npos);
}

// However loudly all lie, a round moves a number by no more than a step of the server's.
TEST(FedcarsOverANetwork, AFleetThatLiesIsBoundedByTheServersStep) {
  const Task task = small_task();
  const auto server = task.model->server(task);
  ServerState state = server->start();
  const TaskShape shape = task.shape();
  SumSpace space(shape.sum_rows, shape.sum_width);
  state.shared.row(shape.rows - 1)[0] = 1.0f;  // as if the first round had counted
  Aggregator sum(space);
  for (std::uint32_t liar = 0; liar < 4; ++liar) {
    Contribution lie(shape.sum_width);
    ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), task.plan.fixed, lie);
    for (std::uint32_t row = 0; row + 1 < shape.sum_rows; ++row)
      std::fill_n(pipeline.open_row(row), shape.sum_width, liar == 0 ? -fixed_limit : fixed_limit);
    pipeline.open_row(static_cast<std::uint32_t>(shape.sum_rows) - 1)[0] = 1 << 14;
    ASSERT_TRUE(server->check(lie).ok());
    ASSERT_TRUE(sum.accept(lie).ok());
  }
  const ServerState after = server->release(1, state, std::move(sum)).value();
  constexpr float rate = 0.005f, choice_rate = 2.0f;
  for (std::size_t row = 0; row + 1 < shape.rows; ++row)
    for (std::size_t k = 0; k < shape.width; ++k)
      EXPECT_LE(std::abs(after.shared.row(row)[k] - state.shared.row(row)[k]), rate * choice_rate * 1.01f);
  EXPECT_EQ(after.shared.row(shape.rows - 1)[0], 1.0f) << "and does not count again";
}

}  // namespace
}  // namespace sotto::fed::fedcars_task_test
