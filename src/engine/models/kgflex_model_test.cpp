// KGFlex as a request asks for it: trained, stopped, resumed, kept and summed in secret.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/generate.h"
#include "engine/models/kgflex.h"
#include "engine/train/forget.h"
#include "engine/train/run_dir.h"
#include "engine/train/session.h"
#include "model/explainer.h"
#include "sim/thread_pool.h"

namespace sotto::engine {
namespace {

Split known_world(std::uint32_t users = 150) {
  const WorldOptions options{.users = users, .items = 120, .mean_interactions = 14.0, .seed = 4};
  SplitOptions rule;
  rule.validation_share = 0.2;
  Split split = split_dataset(generate_world(options).value(), rule).value();
  split.features = std::make_shared<const ItemFeatures>(generate_knowledge(options).value(), split.items,
                                                        FeatureFilter{.min_items = 2});
  return split;
}

TrainRequest kgflex_request(std::string_view model = "kgflex") {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.data.kg.paths = {"generated"};
  request.data.split.validation_share = 0.2;
  request.model = model;
  request.plan.fpl.factors = 5;
  request.plan.fpl.learning_rate = 0.1f;
  request.plan.cohort = 0.25;
  request.plan.epochs = 4;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

Trained trained_by(const TrainRequest& request, const Split& split, Executor& executor) {
  TrainHooks hooks;
  auto trained = train(request, split, executor, hooks);
  EXPECT_TRUE(trained.ok()) << trained.error().message;
  return std::move(*trained);
}

TEST(KgflexModel, ThreadsTheWireAndASecretSumGiveTheSameModel) {
  const Split split = known_world(24);
  TrainRequest request = kgflex_request();
  request.plan.cohort = 1.0;
  request.plan.epochs = 2;
  SerialExecutor serial;
  ThreadPool pool(3);
  const std::string plain = trained_by(request, split, serial).model_hash;
  EXPECT_EQ(trained_by(request, split, pool).model_hash, plain);
  TrainRequest wire = request;
  wire.wire = true;
  EXPECT_EQ(trained_by(wire, split, pool).model_hash, plain);
  TrainRequest secret = request;
  secret.sum.kind = SumKind::secure;
  secret.sum.assumed.crowd = 4;
  ASSERT_TRUE(settle(secret).ok());
  EXPECT_EQ(trained_by(secret, split, serial).model_hash, plain);
  secret.sum.silent = 0.2;
  EXPECT_NE(trained_by(secret, split, serial).model_hash, plain) << "who is silent is missing";
}

TEST(KgflexModel, StoppedAndResumedEndsWithTheSameBytes) {
  const Split split = known_world();
  SerialExecutor serial;
  for (const std::string_view model : {"kgflex", "kgflex-central"}) {
    TrainRequest request = kgflex_request(model);
    request.server.step = ServerStep::adam;
    request.early = {.metric = "nDCG@10", .every = 1, .patience = 50};
    const Trained whole = trained_by(request, split, serial);
    std::atomic<bool> stop = false;
    int calls = 0;
    Bytes saved;
    TrainHooks hooks;
    hooks.stop = &stop;
    hooks.on_progress = [&](const TrainProgress&) -> Status {
      if (++calls == 2) stop = true;
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
    EXPECT_EQ(hash_answers(*resumed->model), hash_answers(*whole.model));
  }
}

TEST(KgflexModel, ARunDirectoryHoldsAllThatIsNeededToRecommendAndToSayWhy) {
  std::string pattern = (std::filesystem::temp_directory_path() / "sotto-kgflex-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const Split split = known_world();
  SerialExecutor serial;
  for (const std::string_view model : {"kgflex", "kgflex-central"}) {
    const TrainRequest request = kgflex_request(model);
    const RunDir dir(folder / model);
    ASSERT_TRUE(dir.begin(request, split).ok());
    Session session;
    session.trained = trained_by(request, split, serial);
    session.evaluation = evaluate(*session.trained.model, split, {}, serial).value();
    ASSERT_TRUE(dir.finish(split, session.trained, session.evaluation,
                           metrics_of(session.evaluation, Part::test), summary_of(request, split, session))
                    .ok());
    const auto run = load_run(dir.path(), serial);
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_EQ(hash_answers(*run->model), hash_answers(*session.trained.model));
    EXPECT_NE(dynamic_cast<const Explainer*>(run->model.get()), nullptr);
    EXPECT_EQ(run->split->features->hash(), split.features->hash());
  }
  // Features of another run, or none, are not taken for its own.
  const auto file = [&](std::string_view model) { return folder / model / "features.bin"; };
  Split other = split;
  other.features = std::make_shared<const ItemFeatures>(FeatureList(), split.items);
  ASSERT_TRUE(RunDir(folder / "other").begin(kgflex_request(), other).ok());
  std::filesystem::copy_file(folder / "other" / "features.bin", file("kgflex"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(load_run(folder / "kgflex", serial).error().message.find("not the features"), std::string::npos);
  std::filesystem::remove(file("kgflex"));
  EXPECT_NE(load_run(folder / "kgflex", serial).error().message.find("missing"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(KgflexModel, WithoutKnowledgeThereIsASentence) {
  TrainRequest request = kgflex_request();
  request.data.kg = {};
  const Status settled = settle(request);
  ASSERT_FALSE(settled.ok());
  EXPECT_NE(settled.error().message.find("--kg"), std::string::npos) << settled.error().message;
  Split split = known_world(20);
  split.features = nullptr;
  SerialExecutor serial;
  TrainHooks hooks;
  const auto trained = train(kgflex_request(), split, serial, hooks);
  ASSERT_FALSE(trained.ok());
  EXPECT_NE(trained.error().message.find("--kg"), std::string::npos);
}

TEST(KgflexModel, RefusesSettingsThatContradictEachOther) {
  TrainRequest request = kgflex_request();
  request.model.own<KgflexSettings>().all_features = true;
  request.model.own<KgflexSettings>().first_hop = 10;
  EXPECT_EQ(settle(request).error().code, Code::usage);
  request = kgflex_request();
  request.model.own<KgflexSettings>().negatives = 0;
  EXPECT_EQ(settle(request).error().code, Code::usage);
  request = kgflex_request();
  request.model.own<KgflexSettings>().min_gain = 1.5f;
  EXPECT_EQ(settle(request).error().code, Code::usage);
}

TEST(KgflexModel, BeatsChanceOnAWorldWhereFeaturesMatter) {
  const Split split = known_world(300);
  SerialExecutor serial;
  TrainRequest request = kgflex_request();
  request.plan.epochs = 20;
  const Trained kgflex = trained_by(request, split, serial);
  TrainRequest random = request;
  random.model = "random";
  const Trained chance = trained_by(random, split, serial);
  const auto ndcg = [&](const Trained& trained) {
    return evaluate(*trained.model, split, evaluate_options(request, split, Part::test), serial)
        .value()
        .find("nDCG@10")
        .value();
  };
  EXPECT_GT(ndcg(kgflex), 1.5 * ndcg(chance));
}

TEST(KgflexModel, NobodysFeaturesAreKeptWhereNoneMayBe) {
  const Split split = known_world(40);
  SerialExecutor serial;
  TrainRequest request = kgflex_request();
  request.model.own<KgflexSettings>().first_hop = request.model.own<KgflexSettings>().second_hop =
      0;  // the ablation without features
  const Trained trained = trained_by(request, split, serial);
  EXPECT_EQ(trained.totals.triples, 0u);
  std::vector<float> scores(split.catalogue);
  const UserIndex user{0};
  trained.model->score(std::span(&user, 1), {0, static_cast<std::uint32_t>(split.catalogue)}, scores);
  EXPECT_TRUE(std::ranges::all_of(scores, [](float score) { return std::isfinite(score); }));
  // It can be kept and read back like any other.
  Parameters kept{trained.parameters->items, trained.parameters->users, {}};
  const auto again = rebuild_model(request, split, std::move(kept), serial);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(hash_answers(*again->model), hash_answers(*trained.model));
  EXPECT_GT(trained.parameters->users.on_device().width(), 0u);  // a matrix without width has no file
}

}  // namespace
}  // namespace sotto::engine
