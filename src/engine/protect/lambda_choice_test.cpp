#include "engine/protect/lambda_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "data/generate.h"
#include "engine/train/forget.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"
#include "model/central/co_counts.h"
#include "sim/thread_pool.h"

namespace sotto::engine::lambda_choice_test {

Split world() {
  const Dataset data =
      generate_world({.users = 150, .items = 120, .mean_interactions = 20.0, .seed = 5}).value();
  return split_dataset(data, {.validation_share = .3}).value();
}

TrainRequest chooser() {
  TrainRequest request;
  request.data.paths = {"made up"};
  request.data.split.validation_share = .3;
  request.model = "fedease";
  request.dp.place = "central";
  request.dp.epsilon = 4.0;
  request.dp.items = 40;
  request.dp.lambdas = {5.0f, 20.0f, 80.0f};
  return request;
}

Result<Trained> trained(TrainRequest request, const Split& split, std::size_t threads = 1) {
  SOTTO_TRY_DONE(settle(request));
  ThreadPool pool(threads);
  TrainHooks hooks;
  return train(request, split, pool, hooks);
}

// What the model says about person 3, as far as it goes.
float largest_score(const Trained& model, const Split& split) {
  std::vector<float> out(split.catalogue);
  const UserIndex user{3};
  model.model->score({&user, 1}, {0, static_cast<std::uint32_t>(split.catalogue)}, out);
  float most = 0.0f;
  for (const float score : out) most = std::max(most, std::abs(score));
  return most;
}

// With much to spend the best is taken: that of evaluate() on the validation part.
TEST(LambdaChoice, TakesTheLambdaThatSuitsMostPeople) {
  const Split split = world();
  ThreadPool pool(2);
  TrainRequest request = chooser();
  request.dp.epsilon.reset();
  request.dp.noise = 1.0;
  request.dp.choice_epsilon = 100.0;
  request.dp.drawn_for = "a test";
  request.dp.lambdas = {0.001f, 1.0f, 30.0f, 1000.0f, 1e8f};
  std::vector<std::uint32_t> items(split.catalogue);
  std::iota(items.begin(), items.end(), 0u);
  const ItemGram exact{count_all_pairs(split.train, Audiences(split.train, split.catalogue), pool), items};
  double best = -1.0, second = -1.0;
  float expected = 0.0f;
  for (const float lambda : request.dp.lambdas) {
    const auto model = Ease::solve(exact, split.catalogue, split.train, {.lambda = lambda}, pool).value();
    EvaluateOptions on_validation;
    on_validation.part = Part::validation;
    const auto judged = evaluate(*model, split, on_validation, pool).value();
    double hits = 0.0;
    for (const double precision : judged.per_user.column("P@10"))
      hits += std::min(std::round(10.0 * precision), 3.0);
    if (hits > best)
      second = best, best = hits, expected = lambda;
    else
      second = std::max(second, hits);
  }
  ASSERT_GT(best, second) << "a world with one best";
  const auto account = DpAccount::open(request).value();
  const auto choice = choose_lambda(request, split, exact, {}, account, pool);
  ASSERT_TRUE(choice.ok()) << choice.error().message;
  EXPECT_EQ(choice->lambda, expected);
  EXPECT_EQ(choice->report.exchanges, 150u);
  EXPECT_GT(choice->report.bytes_down, 5u * 150u * items.size() * items.size());
}

TEST(LambdaChoice, ARunWithOneSpendsWhatWasAskedForAndNoMore) {
  const Split split = world();
  for (const char* kind : {"gaussian", "laplace"}) {
    TrainRequest request = chooser(), given = request;
    request.dp.kind = given.dp.kind = kind;
    given.dp.lambdas.clear();
    const auto model = trained(request, split), plain = trained(given, split);
    ASSERT_TRUE(model.ok()) << model.error().message;
    ASSERT_TRUE(plain.ok() && model->privacy && model->privacy->choice);
    EXPECT_LE(model->privacy->epsilon, 4.0) << kind;
    EXPECT_GT(model->privacy->epsilon, 3.99) << kind;
    EXPECT_DOUBLE_EQ(model->privacy->choice->epsilon, .4) << "a tenth, unless said";
    EXPECT_GT(model->privacy->noise, plain->privacy->noise) << "the sums have less to spend";
    EXPECT_EQ(model->totals.rounds, plain->totals.rounds + 1);
    EXPECT_FALSE(plain->privacy->choice);
    const auto& lambdas = request.dp.lambdas;
    EXPECT_NE(std::find(lambdas.begin(), lambdas.end(), model->privacy->choice->lambda), lambdas.end());
  }
}

TEST(LambdaChoice, IsTheSameForAnyThreadsAndAnySum) {
  const Split split = world();
  TrainRequest request = chooser();
  request.dp.choice_epsilon = .01;
  const auto first = trained(request, split), again = trained(request, split, 3);
  request.sum.kind = SumKind::shares;
  const auto secure = trained(request, split);
  ASSERT_TRUE(first.ok() && again.ok());
  ASSERT_TRUE(secure.ok()) << secure.error().message;
  EXPECT_EQ(hash_answers(*first->model), hash_answers(*again->model));
  EXPECT_EQ(hash_answers(*first->model), hash_answers(*secure->model));
  EXPECT_EQ(first->privacy->choice->lambda, secure->privacy->choice->lambda);
  TrainRequest other = chooser();
  other.dp.choice_epsilon = .02;
  EXPECT_NE(hash_answers(*trained(other, split)->model), hash_answers(*first->model));
}

// At 10⁹ nothing speaks for anything; which of the two it is follows from the seed.
TEST(LambdaChoice, TheModelHasTheLambdaThatWasChosen) {
  const Split split = world();
  std::set<float> chosen;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    TrainRequest request = chooser();
    request.plan.seed = seed;
    request.dp.choice_epsilon = .001;
    request.dp.lambdas = {20.0f, 1e9f};
    const auto model = trained(request, split);
    ASSERT_TRUE(model.ok()) << model.error().message;
    const float lambda = model->privacy->choice->lambda;
    EXPECT_EQ(largest_score(*model, split) < 1e-3f, lambda == 1e9f) << seed;
    chosen.insert(lambda);
  }
  EXPECT_EQ(chosen.size(), 2u) << "of 12 draws that are nearly even";
}

TEST(LambdaChoice, AfterItDevicesScoreFromAllTheyHave) {
  Split small;
  small.catalogue = 5;
  small.train = Histories({0, 2, 3}, {ItemIndex{1}, ItemIndex{4}, ItemIndex{0}}, {1, 0, 0});
  small.validation = Histories({0, 3, 3}, {ItemIndex{0}, ItemIndex{2}, ItemIndex{9}});  // 9 is not known
  const Histories whole = whole_histories(small);
  const auto first = whole.of(UserIndex{0});
  const auto ages = whole.ages_of(UserIndex{0});
  EXPECT_EQ(std::vector(first.begin(), first.end()),
            (std::vector{ItemIndex{0}, ItemIndex{1}, ItemIndex{2}, ItemIndex{4}}));
  EXPECT_EQ(std::vector(ages.begin(), ages.end()), (std::vector<std::uint16_t>{0, 3, 0, 2}));
  EXPECT_EQ(whole.of(UserIndex{1}).size(), 1u);
  EXPECT_EQ(whole.ages_of(UserIndex{1})[0], 0);

  const Split split = world();
  TrainRequest request = chooser();
  const auto model = trained(request, split);
  ASSERT_TRUE(model.ok()) << model.error().message;
  std::vector<ItemIndex> both;
  std::ranges::merge(split.train.of(UserIndex{3}), split.validation.of(UserIndex{3}),
                     std::back_inserter(both));
  std::erase_if(both, [&](ItemIndex item) { return item.value >= split.catalogue; });
  ASSERT_GT(both.size(), split.train.of(UserIndex{3}).size());
  std::vector<float> expected(split.catalogue), told(split.catalogue);
  model->model->score_history(both, expected);
  const UserIndex user{3};
  model->model->score({&user, 1}, {0, static_cast<std::uint32_t>(split.catalogue)}, told);
  EXPECT_EQ(told, expected);
  EXPECT_FALSE(check_judged(request, Part::validation).ok());
  EXPECT_TRUE(check_judged(request, Part::test).ok());
  request.dp.lambdas.clear();
  EXPECT_TRUE(check_judged(request, Part::validation).ok());
}

TEST(LambdaChoice, IsPaidForBeforeItIsMadeOrNotMade) {
  const Split split = world();
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "sotto-lambda-choice.json";
  std::filesystem::remove(path);
  TrainRequest request = chooser();
  request.dp.epsilon.reset();
  request.dp.noise = 20.0;
  request.dp.choice_epsilon = 5.0;
  request.dp.budget = path.string();
  ASSERT_TRUE(BudgetFile::create(path, {2.0, 1e-6}).ok());
  const auto refused = trained(request, split);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("Nothing was charged"), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(BudgetFile::open(path)->budget().charges().empty())
      << "nor the two sums, which it could pay for";
  request.dp.choice_epsilon = .25;
  std::filesystem::remove(path);
  ASSERT_TRUE(BudgetFile::create(path, {2.0, 1e-6}).ok());
  const auto model = trained(request, split);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto file = BudgetFile::open(path);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(file->budget().charges().size(), 3u);
  EXPECT_EQ(file->budget().charges()[2].what, "choice of lambda");
  EXPECT_EQ(file->budget().charges()[2].releases.kind, NoiseKind::choice);
  EXPECT_EQ(file->budget().charges()[2].releases.noise, 4.0);
  EXPECT_DOUBLE_EQ(file->budget().spent(), model->privacy->epsilon);
  std::filesystem::remove(path);
}

std::string refusal(const std::function<void(TrainRequest&)>& change) {
  TrainRequest request = chooser();
  change(request);
  const Status settled = settle(request);
  if (settled.ok()) return "";
  EXPECT_EQ(settled.error().code, Code::usage) << settled.error().message;
  return settled.error().message;
}

TEST(LambdaChoice, WhatCannotBeIsRefusedWithARemedy) {
  const auto says = [](const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  EXPECT_EQ(refusal([](TrainRequest&) {}), "");
  says(refusal([](TrainRequest& r) { r.dp.place = "local"; }), "choose --dp central");
  says(refusal([](TrainRequest& r) { r.dp.place = "distributed", r.sum.kind = SumKind::shares; }),
       "choose --dp central");
  says(refusal([](TrainRequest& r) { r.dp.place = ""; }), "a place for the noise is missing");
  says(refusal([](TrainRequest& r) { r.model = "fedals"; }), "fedals has no such option");
  says(refusal([](TrainRequest& r) { r.dp.lambdas = {5.0f}; }), "a single one is --lambda");
  says(refusal([](TrainRequest& r) { r.dp.lambdas.assign(65, 1.0f); }), "2 to 64");
  says(refusal([](TrainRequest& r) { r.dp.lambdas = {5.0f, 5.0f}; }), "each once");
  says(refusal([](TrainRequest& r) { r.dp.lambdas = {5.0f, -1.0f}; }), "above 0");
  says(refusal([](TrainRequest& r) { r.dp.lambdas = {5.0f, NAN}; }), "above 0");
  says(refusal([](TrainRequest& r) { r.lambda = 3.0f; }), "either given or chosen");
  says(refusal([](TrainRequest& r) { r.data.split.validation_share = 0.0; }), "add --validation");
  says(refusal([](TrainRequest& r) { r.dp.choice_epsilon = 4.0; }), "leaves nothing of 4");
  says(refusal([](TrainRequest& r) { r.dp.choice_epsilon = -1.0; }), "from 0.001 to 100");
  says(refusal([](TrainRequest& r) { r.dp.choice_epsilon = NAN; }), "from 0.001 to 100");
  says(refusal([](TrainRequest& r) { r.dp.epsilon.reset(), r.dp.noise = 5.0; }), "--dp-choice-epsilon");
  says(refusal([](TrainRequest& r) { r.dp.lambdas.clear(), r.dp.choice_epsilon = 1.0; }), "--dp-lambdas");
  says(refusal([](TrainRequest& r) { r.dp.kind = "choice"; }), "gaussian or laplace");
}

TEST(LambdaChoice, NothingIsChargedWhereThereIsNothingToJudgeBy) {
  Split split = world();
  split.validation = Histories(split.users.size());
  const auto model = trained(chooser(), split);
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("--validation 0.2"), std::string::npos) << model.error().message;
  TrainRequest greedy = chooser();
  greedy.dp.choice_epsilon = 3.999;
  const auto left = trained(greedy, world());
  ASSERT_FALSE(left.ok());
  EXPECT_NE(left.error().message.find("too little of 4"), std::string::npos) << left.error().message;
}

TEST(LambdaChoice, APlanSaysItAndItsNoiseAndNameAreOthers) {
  TrainRequest request = chooser();
  request.dp.choice_epsilon = .3;
  const auto again = from_toml(to_toml(request), "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->dp.lambdas, request.dp.lambdas);
  EXPECT_EQ(again->dp.choice_epsilon, .3);
  TrainRequest other = request;
  other.dp.lambdas.push_back(300.0f);
  const Split split = world();
  EXPECT_NE(with_noise(other, 1, split)->dp.drawn_for, with_noise(request, 1, split)->dp.drawn_for);
}

}  // namespace sotto::engine::lambda_choice_test
