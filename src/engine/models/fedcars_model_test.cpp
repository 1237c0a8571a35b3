// Fed-CARS as a request asks for it: trained, stopped, resumed, kept and summed in secret.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/split_parts.h"
#include "engine/models/fedcars.h"
#include "engine/train/run_dir.h"
#include "engine/train/session.h"
#include "model/fedcars/fedcars_recommender.h"
#include "model/fedcars/testing/small_rated_world.h"
#include "sim/history_federation.h"
#include "sim/thread_pool.h"

namespace sotto::engine {
namespace {

Split rated_world(std::uint32_t users = 80) {
  Split split = small_rated_world(6, {.users = users, .items = 40, .history = 12});
  split.hash = hash_of(split);
  return split;
}

TrainRequest fedcars_request() {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = "fedcars";
  request.plan.fpl.factors = 4;
  request.plan.cohort = 0.25;
  request.plan.epochs = 4;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

Trained fedcars_by(const TrainRequest& request, const Split& split, Executor& executor) {
  TrainHooks hooks;
  auto trained = train(request, split, executor, hooks);
  EXPECT_TRUE(trained.ok()) << trained.error().message;
  return std::move(*trained);
}

std::vector<float> ratings_by(const Recommender& model, const Split& split) {
  const auto& predictor = dynamic_cast<const RatingPredictor&>(model);
  std::vector<Occasion> occasions;
  for (std::uint32_t item = 0; item < split.items.size(); ++item) occasions.push_back({ItemIndex{item}});
  std::vector<float> ratings(occasions.size() * 3);
  for (std::uint32_t user = 0; user < 3; ++user)
    predictor.predict({user}, occasions,
                      std::span(ratings).subspan(user * occasions.size(), occasions.size()));
  return ratings;
}

TEST(FedcarsModel, ThreadsTheWireAndASecretSumGiveTheSameModel) {
  const Split split = rated_world(24);
  TrainRequest request = fedcars_request();
  request.plan.cohort = 1.0;
  request.plan.epochs = 3;
  SerialExecutor serial;
  ThreadPool pool(3);
  const std::string plain = fedcars_by(request, split, serial).model_hash;
  EXPECT_EQ(fedcars_by(request, split, pool).model_hash, plain);
  TrainRequest wire = request;
  wire.wire = true;
  EXPECT_EQ(fedcars_by(wire, split, pool).model_hash, plain);
  TrainRequest secret = request;
  secret.sum.kind = SumKind::secure;
  secret.sum.assumed.crowd = 4;
  ASSERT_TRUE(settle(secret).ok());
  EXPECT_EQ(fedcars_by(secret, split, serial).model_hash, plain);
  secret.sum.silent = 0.2;
  EXPECT_NE(fedcars_by(secret, split, serial).model_hash, plain) << "who is silent is missing";
}

TEST(FedcarsModel, StoppedAndResumedEndsWithTheSameBytes) {
  const Split split = rated_world();
  SerialExecutor serial;
  const TrainRequest request = fedcars_request();
  const Trained whole = fedcars_by(request, split, serial);
  std::atomic<bool> stop = false;
  int calls = 0;
  Bytes saved;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_progress = [&](const TrainProgress&) -> Status {
    if (++calls == 6) stop = true;
    return Done{};
  };
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
    saved = save_checkpoint(checkpoint);
    return Done{};
  };
  EXPECT_EQ(train(request, split, serial, hooks).error().code, Code::cancelled);
  TrainHooks again;
  const auto resumed = train(request, split, serial, again, load_checkpoint(saved, "c").value());
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(resumed->model_hash, whole.model_hash);
  EXPECT_EQ(ratings_by(*resumed->model, split), ratings_by(*whole.model, split));
}

TEST(FedcarsModel, ARunDirectoryHoldsAllThatIsNeededToPredict) {
  std::string pattern = (std::filesystem::temp_directory_path() / "sotto-fedcars-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const Split split = rated_world();
  SerialExecutor serial;
  const TrainRequest request = fedcars_request();
  const RunDir dir(folder / "run");
  ASSERT_TRUE(dir.begin(request, split).ok());
  Session session;
  session.trained = fedcars_by(request, split, serial);
  session.evaluation = evaluate(*session.trained.model, split, {}, serial).value();
  EXPECT_TRUE(session.evaluation.find("MAE").has_value());
  ASSERT_TRUE(dir.finish(split, session.trained, session.evaluation,
                         metrics_of(session.evaluation, Part::test), summary_of(request, split, session))
                  .ok());
  const auto run = load_run(dir.path(), serial);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(ratings_by(*run->model, *run->split), ratings_by(*session.trained.model, split));
  std::filesystem::remove_all(folder);
}

TEST(FedcarsModel, WhoDoesNotAnswerStillAdapts) {
  const Split split = rated_world();
  TrainRequest request = fedcars_request();
  request.model.own<FedcarsSettings>().participation = 0.5;
  ASSERT_TRUE(settle(request).ok());
  SerialExecutor serial;
  const Trained trained = fedcars_by(request, split, serial);
  std::size_t answering = 0;
  for (std::uint32_t user = 0; user < 80; ++user)
    answering += answers_at(0.5, request.plan.seed, {user}) ? 1 : 0;
  EXPECT_EQ(users_with_history(participants(request, split.train)).size(), answering);
  EXPECT_GT(answering, 20u);
  EXPECT_LT(answering, 60u);
  std::uint32_t silent = 0;
  while (answers_at(0.5, request.plan.seed, {silent}) || split.train.of({silent}).size() < 2) ++silent;
  const auto& model = dynamic_cast<const FedcarsRecommender&>(*trained.model);
  const std::vector<Occasion> occasions{{ItemIndex{3}}, {ItemIndex{4}}};
  std::vector<float> adapted(2), start(2);
  model.predict({silent}, occasions, adapted);
  model.predict_new({}, 10, occasions, start);
  EXPECT_NE(adapted, start);
}

// Nothing of the silent half is in the model: other ratings of theirs give the same one.
TEST(FedcarsModel, TheModelDoesNotDependOnWhoDoesNotAnswer) {
  const Split split = rated_world();
  TrainRequest request = fedcars_request();
  request.model.own<FedcarsSettings>().participation = 0.5;
  ASSERT_TRUE(settle(request).ok());
  Split other = split;
  Records records = *split.records;
  for (std::uint32_t user = 0; user < 80; ++user)
    for (std::uint64_t at = split.train.offsets()[user];
         at < split.train.offsets()[user + 1] && !answers_at(0.5, request.plan.seed, {user}); ++at)
      records.train.ratings[at] = 1.0f;
  other.records = std::make_shared<const Records>(records);
  SerialExecutor serial;
  EXPECT_EQ(fedcars_by(request, other, serial).model_hash, fedcars_by(request, split, serial).model_hash);
}

TEST(FedcarsModel, ThePapersLetterLearnsWhatItIsAskedLater) {
  const Split split = rated_world();
  SerialExecutor serial;
  TrainRequest request = fedcars_request();
  request.plan.epochs = 25;
  const double clean = *evaluate(*fedcars_by(request, split, serial).model, split, {}, serial)->find("MAE");
  request.model.own<FedcarsSettings>().query = QueryFrom::test;
  EXPECT_LT(*evaluate(*fedcars_by(request, split, serial).model, split, {}, serial)->find("MAE"), clean);
}

TEST(FedcarsModel, WithoutRatingsItIsRefused) {
  Split split = rated_world();
  split.records = nullptr;
  SerialExecutor serial;
  TrainHooks hooks;
  const auto trained = train(fedcars_request(), split, serial, hooks);
  ASSERT_FALSE(trained.ok());
  EXPECT_NE(trained.error().message.find("ratings"), std::string::npos);
}

TEST(FedcarsModel, OptionsOutOfRangeAreRefusedBeforeAnythingIsRead) {
  TrainRequest request = fedcars_request();
  request.model.own<FedcarsSettings>().participation = 0.0;
  EXPECT_FALSE(settle(request).ok());
  request = fedcars_request();
  request.model.own<FedcarsSettings>().query_share = 0.0f;
  EXPECT_FALSE(settle(request).ok());
  request = fedcars_request();
  request.dp.place = "central";
  request.dp.epsilon = 1.0;
  EXPECT_FALSE(settle(request).ok()) << "noise is not offered for it";
}

TEST(FedcarsModel, ItsPlanReadsBack) {
  TrainRequest request = fedcars_request();
  request.model.own<FedcarsSettings>().rating.order = MamlOrder::first;
  request.model.own<FedcarsSettings>().rating.adapts = Adapts::all;
  request.model.own<FedcarsSettings>().query = QueryFrom::test;
  request.model.own<FedcarsSettings>().hidden = 7;
  request.model.own<FedcarsSettings>().participation = 0.25;
  const auto again = from_toml(to_toml(request), "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_toml(*again), to_toml(request));
  EXPECT_EQ(again->model.own<FedcarsSettings>().rating.order, MamlOrder::first);
  EXPECT_EQ(again->model.own<FedcarsSettings>().hidden, 7u);
}

}  // namespace
}  // namespace sotto::engine
