// A coordinator of the models that are made of pairs: what it takes, what it makes of a round, and what its
// devices answer from that.
#include <gtest/gtest.h>

#include "fed/models/task_models.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/wire/round_plain.h"
#include "model/central/ease.h"
#include "model/central/item_knn.h"
#include "model/central/rp3beta.h"
#include "server/testing/secure_world.h"

namespace sotto::server::coordinator_pairs_test {
namespace {

constexpr std::uint32_t items = 30, people = 6;

TaskConfig pair_config(const TaskModel& model, bool secure = false) {
  TaskConfig config = secure ? secure_config(people) : world_config(people);
  v1::TaskSpec spec = usual_spec(model, items);
  spec.set_name("small");
  spec.set_seed(7);
  spec.set_reproducible(true);
  spec.set_sum(config.spec.sum());
  *spec.mutable_assumed() = config.spec.assumed();
  config.spec = spec;
  return config;
}

Histories everybody() {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> all;
  for (std::uint32_t n = 0; n < people; ++n) {
    const auto own = WorldDevice::history(n, items);
    all.insert(all.end(), own.begin(), own.end());
    offsets.push_back(all.size());
  }
  return {std::move(offsets), std::move(all)};
}

// The same model made of the histories in one place.
std::unique_ptr<Recommender> central(const TaskModel& model, const Histories& train) {
  SerialExecutor here;
  if (&model == &fedease_task) return Ease::fit(train, items, {}, here).value();
  if (&model == &feditemknn_task) return ItemKnn::fit(train, items, {}, here).value();
  const Audiences audiences(train, items);
  const HistoryPairs pairs(train, audiences, PersonWeight(0.5f));
  return std::make_unique<WeightedItems>(train, fit_rp3beta(pairs, {}, here).value());
}

void expect_the_central_model(World& world, const TaskModel& model) {
  const Histories train = everybody();
  const auto expected = central(model, train);
  const Task& task = world.devices[0].task;
  const RowMatrix rows = *read_published(*world.store.blob(world.newest().master),
                                         {task.shape().rows, task.shape().width, v1::PRECISION_F32});
  for (std::uint32_t n = 0; n < people; ++n) {
    const auto own = WorldDevice::history(n, items);
    const Histories history({0, own.size()}, own);
    const auto answers = task.model->answers({task, rows, history, nullptr});
    ASSERT_TRUE(answers.ok()) << answers.error().message;
    std::vector<float> scores(items), wanted(items);
    (*answers)->score(scores);
    expected->score_history(own, wanted);
    EXPECT_EQ(scores, wanted) << n;
    for (const ItemIndex item : {ItemIndex{0}, ItemIndex{17}}) {
      const ScoreReasons why = (*answers)->reasons(item);
      EXPECT_EQ(why.score, scores[item.value]);
      float sum = 0.0f;
      for (const ScoreReason& one : why.because) sum += one.weight;
      EXPECT_GE(sum, why.score - 1e-6f);  // what speaks against it is no reason
    }
  }
}

class ACoordinatorOfPairs : public testing::TestWithParam<const TaskModel*> {};

TEST_P(ACoordinatorOfPairs, MakesTheCentralModelInOneRound) {
  World world(pair_config(*GetParam()), people);
  for (std::uint32_t n = 0; n < people; ++n) world.exchange(n);
  ASSERT_EQ(world.newest().number, 1u) << world.last_round().why;
  expect_the_central_model(world, *GetParam());
  // A second round makes it anew: the same people, the same model.
  const std::string first = world.newest().model_hash;
  world.restart();
  for (std::uint32_t n = people; n-- > 0;) world.exchange(n);
  EXPECT_EQ(world.newest().number, 2u);
  EXPECT_EQ(world.newest().model_hash, first);
}

TEST_P(ACoordinatorOfPairs, MakesItOfASecureSumToo) {
  World world(pair_config(*GetParam(), true), people);
  std::deque<SecureDevice> all;
  for (std::uint32_t n = 0; n < people; ++n) all.emplace_back(world, n);
  for (SecureDevice& one : all) one.join();
  for (const v1::Phase phase : phases) {
    for (SecureDevice& one : all) ASSERT_EQ(one.send(phase, one.message, false).refusal(), v1::REFUSAL_NONE);
    if (phase == v1::PHASE_REVEAL) break;
    for (SecureDevice& one : all) one.answer(phase);
  }
  ASSERT_EQ(world.newest().number, 1u);
  expect_the_central_model(world, *GetParam());
}

TEST_P(ACoordinatorOfPairs, RefusesWhatIsNoSetOfItems) {
  World world(pair_config(*GetParam()), people);
  const v1::Assignment to = world.assigned(0);
  const auto reply_to = [&](auto make) {
    Contribution made(1);
    const ConsentPolicy open;
    ContributionPipeline out(ConsentGate(open, 1, 0, UserIndex{0}), FixedPoint{}, made);
    make(out);
    return world.give(0, to, pack_contribution({to.round(), made}, true)).refusal();
  };
  const auto put = [](ContributionPipeline& out, std::uint32_t item, std::int32_t times) {
    out.open(Evidence::positive, item)[0] = times;
  };
  EXPECT_EQ(reply_to([&](auto& out) { put(out, 3, 2); }), v1::REFUSAL_BAD_VALUE) << "counts twice";
  EXPECT_EQ(reply_to([&](auto& out) { put(out, 3, -1); }), v1::REFUSAL_BAD_VALUE) << "takes back";
  EXPECT_EQ(reply_to([&](auto& out) { put(out, 3, 1), put(out, 3, 1); }), v1::REFUSAL_BAD_VALUE) << "twice";
  EXPECT_EQ(reply_to([&](auto& out) { put(out, items, 1); }), v1::REFUSAL_WRONG_SHAPE) << "no such item";
  EXPECT_EQ(reply_to([&](auto& out) {
              for (std::uint32_t item = 0; item <= items; ++item) put(out, item, 1);
            }),
            v1::REFUSAL_WRONG_SHAPE)
      << "more than there are";
  // What was refused left no trace.
  const RowMatrix shared = world.model(0, to);
  EXPECT_EQ(world.give(0, to, world.devices[0].contribution(to.round(), shared)).refusal(), v1::REFUSAL_NONE);
  for (std::uint32_t n = 1; n < people; ++n) world.exchange(n);
  ASSERT_EQ(world.newest().number, 1u);
  expect_the_central_model(world, *GetParam());
}

// Nobody is assigned to a finished task, and its model was not there before: it comes as news.
TEST_P(ACoordinatorOfPairs, BringsTheModelOfAFinishedTask) {
  TaskConfig config = pair_config(*GetParam());
  config.rules.rounds = 1;
  World world(config, people + 1);
  for (std::uint32_t n = 0; n < people; ++n) world.exchange(n);
  ASSERT_EQ(world.status("state"), "finished");
  for (const std::uint32_t n : {0u, people}) {  // one that took part, and one that came later
    const v1::CheckInReply reply = world.check_in(n);
    EXPECT_FALSE(reply.has_assignment());
    ASSERT_TRUE(reply.has_news());
    EXPECT_TRUE(reply.news().token().empty());
    const RowMatrix rows = world.model(n, reply.news());
    EXPECT_EQ(hash_rows(rows), world.newest().model_hash);
    EXPECT_FALSE(world.check_in(n).has_news()) << "it holds it now";
  }
}

// What a task asks of a device's network holds for its news too.
TEST_P(ACoordinatorOfPairs, BringsNoNewsToWhoPaysForIt) {
  TaskConfig config = pair_config(*GetParam());
  config.rules.rounds = 1;
  config.rules.need_unmetered = true;
  World world(config, people);
  v1::CheckInRequest unmetered;
  unmetered.set_unmetered(true);
  for (std::uint32_t n = 0; n < people; ++n) {
    const v1::Assignment to = world.check_in(n, unmetered).assignment();
    EXPECT_EQ(world.give(n, to, world.devices[n].contribution(to.round(), RowMatrix())).refusal(),
              v1::REFUSAL_NONE);
  }
  ASSERT_EQ(world.status("state"), "finished");
  EXPECT_FALSE(world.check_in(0).has_news());
  EXPECT_TRUE(world.check_in(0, unmetered).has_news());
}

// A device says which models it knows; one that says nothing is of before there were these.
TEST_P(ACoordinatorOfPairs, AssignsNothingToWhoCannotDoIt) {
  World world(pair_config(*GetParam()), 1);
  const auto check_in = [&](std::initializer_list<const char*> models) {
    v1::CheckInRequest request;
    for (const char* model : models) request.add_models(model);
    const v1::Reply reply = world.ask(0, Method::check_in, request);
    v1::CheckInReply out;
    EXPECT_TRUE(out.ParseFromString(reply.body()));
    return out.has_assignment();
  };
  EXPECT_FALSE(check_in({}));
  EXPECT_FALSE(check_in({"fpl", "fedals", "fcf"}));
  EXPECT_TRUE(check_in({"fpl", GetParam()->name}));
  EXPECT_FALSE(check_in({"fpl"})) << "nor what it was assigned before";
}

INSTANTIATE_TEST_SUITE_P(OfEachModel, ACoordinatorOfPairs,
                         testing::Values(&fedease_task, &feditemknn_task, &fedrp3beta_task),
                         [](const auto& each) { return std::string(each.param->name); });

TEST(ATaskOfPairs, IsRefusedWhereItCannotBe) {
  const auto why = [](const TaskModel& model, auto change, std::uint32_t count = items) {
    v1::TaskSpec spec = usual_spec(model, count);
    change(spec);
    const auto task = read_task(spec);
    return task.ok() ? "" : task.error().message;
  };
  const auto nothing = [](v1::TaskSpec&) {};
  EXPECT_EQ(why(fedease_task, nothing), "");
  EXPECT_NE(why(fedease_task, nothing, 8193).find("0.3 GB for 8193"), std::string::npos)
      << why(fedease_task, nothing, 8193);
  EXPECT_EQ(why(feditemknn_task, nothing, 8193), "");
  EXPECT_NE(why(feditemknn_task, nothing, 40'000).find("its sums would have 800060016 numbers"),
            std::string::npos)
      << why(feditemknn_task, nothing, 40'000);
  EXPECT_NE(why(fedease_task, [](auto& spec) { spec.set_clip(1.0); }).find("leave epsilon"),
            std::string::npos);
  EXPECT_NE(why(fedrp3beta_task, [](auto& spec) { spec.set_down(v1::PRECISION_I8); }).find("leave down out"),
            std::string::npos);
  EXPECT_EQ(why(fedease_task, [](auto& spec) { spec.set_down(v1::PRECISION_I8); }), "");
}

// What a person had lately counts more in what their device tells them, as in the central model.
TEST(ATaskOfPairs, CountsNewerItemsMore) {
  const Histories train = [] {
    const Histories plain = everybody();
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint16_t> ages;
    for (std::uint32_t n = 0; n < people; ++n) {
      const std::size_t size = plain.of(UserIndex{n}).size();
      for (std::size_t k = 0; k < size; ++k) ages.push_back(static_cast<std::uint16_t>((k * 5 + n) % size));
      offsets.push_back(ages.size());
    }
    return Histories(std::move(offsets), {plain.items().begin(), plain.items().end()}, std::move(ages));
  }();
  v1::TaskSpec spec = usual_spec(fedease_task, items);
  for (v1::TaskOption& option : *spec.mutable_options())
    if (option.key() == "recency") option.set_real(2.0f);
  const Task task = *read_task(spec);
  SerialExecutor here;
  const auto central = Ease::fit(train, items, {.recency = 2.0f}, here).value();
  RowMatrix rows(items, items);
  for (std::uint32_t item = 0; item < items; ++item)
    ASSERT_TRUE(central->similar(ItemIndex{item}, rows.values(item)).ok());
  for (std::uint32_t n = 0; n < people; ++n) {
    const UserIndex user{n};
    const auto own = train.of(user);
    const auto ages = train.ages_of(user);
    const Histories history({0, own.size()}, {own.begin(), own.end()}, {ages.begin(), ages.end()});
    const auto answers = task.model->answers({task, rows, history, nullptr});
    ASSERT_TRUE(answers.ok());
    std::vector<float> scores(items), wanted(items), unweighted(items);
    (*answers)->score(scores);
    central->score(std::span(&user, 1), {0, items}, wanted);
    central->score_history(own, unweighted);
    EXPECT_EQ(scores, wanted);
    EXPECT_NE(scores, unweighted);
    EXPECT_EQ((*answers)->reasons(ItemIndex{17}).score, wanted[17]);
  }
}

// Nothing that a server sends is believed: a weight to an item that is not there refuses the model.
TEST(ATaskOfPairs, AModelThatNamesNoItemIsRefused) {
  const Task task = *read_task(usual_spec(feditemknn_task, items));
  const Histories history({0, 1}, {ItemIndex{3}});
  for (const float named : {static_cast<float>(items), -1.0f, NAN, INFINITY}) {
    RowMatrix rows(task.shape().rows, task.shape().width);
    rows.row(4)[0] = named;
    rows.row(4)[task.shape().width / 2] = 0.5f;
    EXPECT_FALSE(task.model->answers({task, rows, history, nullptr}).ok()) << named;
  }
  const RowMatrix unmade(task.shape().rows, task.shape().width);
  const auto early = task.model->answers({task, unmade, history, nullptr});
  EXPECT_NE(early.error().message.find("not made yet"), std::string::npos);
}

}  // namespace
}  // namespace sotto::server::coordinator_pairs_test
