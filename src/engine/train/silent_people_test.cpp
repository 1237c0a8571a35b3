#include "engine/train/silent_people.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data/generate.h"
#include "engine/models/als.h"
#include "engine/train/levels_json.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"

namespace sotto::engine::silent_people_test {
namespace {

Split world() {
  return split_dataset(
             generate_world({.users = 200, .items = 150, .mean_interactions = 25.0, .seed = 4}).value(),
             SplitOptions{})
      .value();
}

TrainRequest request_for(std::string_view model, const char* mix) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = model;
  EXPECT_TRUE(set_variant(request.plan, "pfpl+").ok());
  request.plan.fpl.factors = 8;
  request.plan.epochs = 40;
  request.consent.mix = mix;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

Trained trained_with(const TrainRequest& request, const Split& split, Executor& executor) {
  TrainHooks hooks;
  return train(request, split, executor, hooks).value();
}

std::vector<float> row_of(const Trained& trained, std::uint32_t user) {
  const auto values = trained.parameters->users.on_device().values(user);
  return {values.begin(), values.end()};
}

TEST(SilentPeople, ClosedDevicesLearnTheirOwnRowAndChangeNothingElse) {
  const Split split = world();
  SerialExecutor serial;
  ThreadPool three(3);
  for (const std::string_view model : {"fpl", "fcf", "fedals"}) {
    const TrainRequest request = request_for(model, "open=0.7,closed=0.3");
    const Trained one = trained_with(request, split, serial);
    const Trained many = trained_with(request, split, three);
    EXPECT_EQ(hash_rows(one.parameters->users.on_device()), hash_rows(many.parameters->users.on_device()));
    const auto levels = drawn_levels(request.consent, split.users.size(), request.plan.seed);
    ASSERT_TRUE(levels);
    FoldInOptions options;
    options.learning_rate = request.plan.fpl.learning_rate;
    options.reg = request.plan.fpl.user_reg;
    options.seed = request.plan.seed;
    if (find_model(std::string(model)).value()->fold_in) options.exact = als_options(request);
    const MfRecommender alone(&one.parameters->users.on_device(), &one.parameters->items, options);
    std::size_t closed = 0;
    for (std::uint32_t user = 0; user < split.users.size(); ++user) {
      if (levels->names[levels->of_user[user]] != "closed") continue;
      ++closed;
      const RowMatrix wanted = alone.fold_in(split.train.of(UserIndex{user}));
      const auto values = wanted.values(0);
      EXPECT_EQ(row_of(one, user), std::vector<float>(values.begin(), values.end()));
    }
    EXPECT_GT(closed, 30u);
  }
}

TEST(SilentPeople, TheirListsAreBetterThanWhatSuitsEverybody) {
  const Split split = world();
  SerialExecutor serial;
  const TrainRequest request = request_for("fpl", "open=0.7,closed=0.3");
  const Trained trained = trained_with(request, split, serial);
  EvaluateOptions options;
  options.cutoffs = {10};
  const Evaluation personal = evaluate(*trained.model, split, options, serial).value();
  const auto levels = drawn_levels(request.consent, split.users.size(), request.plan.seed);
  const nlohmann::json json = levels_json(*levels, personal.per_user);
  ASSERT_EQ(json[1]["level"], "closed");
  // The same model, but closed people have the row that says nothing of them.
  RowMatrix users = trained.parameters->users.on_device();
  for (std::uint32_t user = 0; user < users.rows(); ++user)
    if (levels->of_user[user] == 1) std::fill_n(users.row(user), users.width() - 1, 0.0f);
  const MfRecommender common(&users, &trained.parameters->items, FoldInOptions{});
  const Evaluation impersonal = evaluate(common, split, options, serial).value();
  const nlohmann::json before = levels_json(*levels, impersonal.per_user);
  EXPECT_GT(json[1]["metrics"]["nDCG@10"].get<double>(), 1.2 * before[1]["metrics"]["nDCG@10"].get<double>());
  EXPECT_EQ(json[0], before[0]);  // nobody else's list changed
}

TEST(SilentPeople, WhoLetsNothingBeUsedKeepsTheRowOfEverybody) {
  const Split split = world();
  SerialExecutor serial;
  TrainRequest request = request_for("fpl", "");
  std::vector<ConsentTerms> kinds(3);
  kinds[1].takes_part = false;
  kinds[2].takes_part = false;
  kinds[2].contexts.history = 0.0f;
  std::vector<std::uint16_t> kind_of(split.users.size(), 0);
  kind_of[5] = 1;
  kind_of[6] = 2;
  request.plan.consent.people = std::make_shared<const ConsentBook>(kinds, kind_of);
  Trained trained = trained_with(request, split, serial);
  request.plan.epochs = 1;
  const Trained early = trained_with(request, split, serial);
  EXPECT_NE(row_of(trained, 5), row_of(early, 5));
  EXPECT_EQ(row_of(trained, 6), row_of(early, 6));
}

TEST(SilentPeople, TheirRulesAndTheirShareHold) {
  const Split split = world();
  SerialExecutor serial;
  const auto row_with = [&](const ConsentTerms& terms, const Histories& train) {
    Split own = split;
    own.train = train;
    TrainRequest request = request_for("fpl", "");
    request.plan.epochs = 2;
    std::vector<std::uint16_t> kind_of(split.users.size(), 0);
    kind_of[5] = 1;
    request.plan.consent.people =
        std::make_shared<const ConsentBook>(std::vector<ConsentTerms>{{}, terms}, kind_of);
    return row_of(trained_with(request, own, serial), 5);
  };
  const auto history = split.train.of(UserIndex{5});
  ConsentTerms silent, with_rule, with_share;
  silent.takes_part = with_rule.takes_part = with_share.takes_part = false;
  with_rule.rules.assign(split.catalogue, ItemRule::none);
  with_rule.rules[history[0].value] = ItemRule::never;
  with_share.contexts.history = 0.5f;
  const auto all = row_with(silent, split.train);
  EXPECT_NE(row_with(with_rule, split.train), all);
  EXPECT_NE(row_with(with_share, split.train), all);
  // As if the person did not have it.
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    for (const ItemIndex item : split.train.of(UserIndex{user}))
      if (user != 5 || item != history[0]) items.push_back(item);
    offsets.push_back(items.size());
  }
  EXPECT_EQ(row_with(with_rule, split.train), row_with(silent, Histories(offsets, items)));
}

TEST(LevelTable, MeansOverThePeopleOfALevel) {
  const DrawnLevels levels{{"open", "closed", "careful"}, {0, 1, 0, 1}};
  const PerUser judged{
      {UserIndex{0}, UserIndex{1}, UserIndex{2}}, {"P@5", "nDCG@5"}, {0.2, 0.3, 0.5, 0.6, 0.4, 0.1}};
  const nlohmann::json json = levels_json(levels, judged);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0]["people"], 2);
  EXPECT_DOUBLE_EQ(json[0]["metrics"]["P@5"].get<double>(), 0.3);
  EXPECT_DOUBLE_EQ(json[1]["metrics"]["nDCG@5"].get<double>(), 0.6);
  EXPECT_EQ(json[2]["people"], 0);
  EXPECT_TRUE(json[2]["metrics"].empty());
}

}  // namespace
}  // namespace sotto::engine::silent_people_test
