// The neural models through the lab and the command line: the module is opened, runs are kept and asked
// again.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "data/generate.h"
#include "engine/models/networks.h"
#include "engine/train/neural_module.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"
#include "tests/cli/program.h"

namespace sotto::tests::neural_lab_test {
namespace {

constexpr std::array networks{"multvae", "neumf", "fedmultvae", "fedneumf"};

Split world_with_validation() {
  const Dataset dataset =
      generate_world({.users = 150, .items = 200, .mean_interactions = 20.0, .seed = 3}).value();
  SplitOptions options;
  options.validation_share = 0.2;
  return split_dataset(dataset, options).value();
}

TrainRequest request_for(std::string_view model) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.data.split.validation_share = 0.2;
  request.model = model;
  request.plan.fpl.factors = 6;
  request.plan.epochs = 6;
  request.model.own<NetworkSettings>().neural.learning_rate = 0.01f;
  request.server.rate = 0.01f;
  if (request.model->federated()) request.plan.cohort = 0.4;
  request.model.own<NetworkSettings>().neural.batch = 40;
  request.model.own<NetworkSettings>().neural.vae = {.hidden = 20, .latent = 8, .anneal_epochs = 3};
  request.model.own<NetworkSettings>().neural.neumf.layers = {16, 8};
  EXPECT_TRUE(settle(request).ok());
  return request;
}

std::string fingerprint(const Trained& trained) {
  return trained.model_hash + hash_rows(trained.parameters->users.on_device()) +
         std::to_string(trained.totals.loss_units);
}

TEST(NeuralLab, StoppedAnywhereAndResumedEndsWithTheSameBytes) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  for (const std::string_view model : networks) {
    TrainRequest request = request_for(model);
    request.early = {.metric = "nDCG@10", .every = 1, .patience = 50};
    TrainHooks undisturbed_hooks;
    const Trained undisturbed = train(request, split, serial, undisturbed_hooks).value();
    for (const std::uint64_t stop_after : {std::uint64_t{1}, std::uint64_t{4}}) {
      std::atomic<bool> stop = false;
      std::uint64_t calls = 0;
      Bytes saved;
      TrainHooks hooks;
      hooks.stop = &stop;
      hooks.on_progress = [&](const TrainProgress&) -> Status {
        if (++calls == stop_after) stop = true;
        return Done{};
      };
      hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
        saved = save_checkpoint(checkpoint);
        return Done{};
      };
      const auto stopped = train(request, split, serial, hooks);
      ASSERT_FALSE(stopped.ok());
      ASSERT_EQ(stopped.error().code, Code::cancelled);
      TrainHooks resumed_hooks;
      const auto resumed = train(request, split, serial, resumed_hooks, load_checkpoint(saved, "c").value());
      ASSERT_TRUE(resumed.ok()) << resumed.error().message;
      EXPECT_EQ(fingerprint(*resumed), fingerprint(undisturbed)) << model << ' ' << stop_after;
      EXPECT_EQ(resumed->best_epoch, undisturbed.best_epoch);
    }
  }
}

TEST(NeuralLab, ThreadsDoNotChangeTheModel) {
  const Split split = world_with_validation();
  for (const std::string_view model : networks) {
    std::vector<std::string> prints;
    for (const std::size_t threads : {1u, 2u, 3u}) {
      ThreadPool pool(threads);
      TrainHooks hooks;
      prints.push_back(fingerprint(train(request_for(model), split, pool, hooks).value()));
    }
    EXPECT_EQ(prints[0], prints[1]) << model;
    EXPECT_EQ(prints[0], prints[2]) << model;
  }
}

TEST(NeuralLab, EarlyStoppingKeepsTheBestEpoch) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  for (const std::string_view model : networks) {
    TrainRequest request = request_for(model);
    request.plan.epochs = 100;
    request.early = {.metric = "nDCG@10", .every = 1, .patience = 4};
    std::vector<double> looks;
    TrainHooks hooks;
    hooks.on_progress = [&](const TrainProgress& progress) -> Status {
      if (progress.validation) looks.push_back(*progress.validation);
      return Done{};
    };
    const Trained trained = train(request, split, serial, hooks).value();
    const auto best = static_cast<std::size_t>(std::max_element(looks.begin(), looks.end()) - looks.begin());
    ASSERT_LT(looks.size(), 100u) << model;  // it did stop early
    EXPECT_EQ(trained.best_epoch, best + 1);
    EvaluateOptions options;
    options.part = Part::validation;
    EXPECT_EQ(evaluate(*trained.model, split, options, serial)->find("nDCG@10"), looks[best]);
  }
}

constexpr std::array averaged{"fedmultvae", "fedneumf"};

std::string hash_of(const TrainRequest& request, const Split& split) {
  SerialExecutor serial;
  TrainHooks hooks;
  const auto trained = train(request, split, serial, hooks);
  EXPECT_TRUE(trained.ok()) << trained.error().message;
  return trained.ok() ? trained->model_hash : "";
}

TEST(AveragedNetworks, SecureSumsAndCriteriaServeThemLikeOthers) {
  const Split split = world_with_validation();
  for (const std::string_view model : averaged) {
    TrainRequest request = request_for(model);
    request.plan.epochs = 1;
    request.plan.cohort = 0.1;
    request.model.own<NetworkSettings>().neural.vae = {.hidden = 8, .latent = 4};
    const std::string alike = hash_of(request, split);
    request.sum.kind = SumKind::secure;
    EXPECT_EQ(hash_of(request, split), alike) << model;
    request.criteria.order = "size>closeness";
    const std::string weighed = hash_of(request, split);
    EXPECT_NE(weighed, alike) << model;
    request.sum.kind = SumKind::plain;
    EXPECT_EQ(hash_of(request, split), weighed) << model;
  }
}

// Everybody's terms on these data, with rules for single items.
std::shared_ptr<const ConsentBook> book_of(const Split& split, std::vector<ItemRule> rules, double pi) {
  return std::make_shared<ConsentBook>(std::vector<ConsentTerms>{{.pi = pi, .rules = std::move(rules)}},
                                       std::vector<std::uint16_t>(split.users.size(), 0));
}

// The split as it were, had nobody the item.
Split without_item(Split split, ItemIndex item) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < split.train.users(); ++user) {
    for (const ItemIndex had : split.train.of(UserIndex{user}))
      if (had != item) items.push_back(had);
    offsets.push_back(items.size());
  }
  split.train = Histories(std::move(offsets), std::move(items));
  return split;
}

TEST(AveragedNetworks, NothingDependsOnWhatPeopleKeepBack) {
  const Split split = world_with_validation();
  const ItemIndex kept_back = split.train.of(UserIndex{0})[0];
  const Split without = without_item(split, kept_back);
  std::vector<ItemRule> rules(split.items.size(), ItemRule::none);
  rules[kept_back.value] = ItemRule::never;
  for (const std::string_view model : averaged) {
    TrainRequest request = request_for(model);
    request.plan.epochs = 2;
    const std::string open = hash_of(request, split);
    request.plan.consent.people = book_of(split, rules, 1.0);
    EXPECT_EQ(hash_of(request, split), hash_of(request, without)) << model;
    EXPECT_NE(hash_of(request, split), open) << model;
  }
}

TEST(AveragedNetworks, WhereNothingMayLeaveTheModelStays) {
  const Split split = world_with_validation();
  for (const std::string_view model : averaged) {
    TrainRequest request = request_for(model);
    request.plan.consent.pi = 0.0;
    request.plan.epochs = 1;
    const std::string start = hash_of(request, split);
    request.plan.epochs = 3;
    EXPECT_EQ(hash_of(request, split), start) << model;
    request.plan.consent.pi = 0.5;
    const std::string half = hash_of(request, split);
    EXPECT_NE(half, start) << model;
    request.plan.consent.mask = MaskKind::redraw;
    EXPECT_NE(hash_of(request, split), half) << model;
  }
}

TEST(AveragedNetworks, LearnAboutAsMuchAsInOnePlace) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  const auto quality = [&](std::string_view model) {
    TrainRequest request = request_for(model);
    if (request.model->federated()) request.plan.cohort = 0.25;  // as many as a central step of MultVAE sees
    request.plan.epochs = 40;
    TrainHooks hooks;
    const Trained trained = train(request, split, serial, hooks).value();
    return evaluate(*trained.model, split, {}, serial)->find("nDCG@10").value();
  };
  const double central = quality("multvae");
  EXPECT_GT(quality("fedmultvae"), 0.9 * central);
  TrainRequest chance = request_for("multvae");
  chance = with_model(std::move(chance), *find_model("random").value());
  TrainHooks hooks;
  const Trained random = train(chance, split, serial, hooks).value();
  EXPECT_GT(quality("fedneumf"), 2.0 * evaluate(*random.model, split, {}, serial)->find("nDCG@10").value());
}

TEST(NeuralLab, AModuleThatIsNotThereOrNotOneIsExplained) {
  const cli::Workshop shop;
  const auto missing = open_neural_module({shop.folder() / "libsotto_neural.so"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_NE(missing.error().message.find("libtorch-dev"), std::string::npos);
  shop.put("libsotto_neural.so", "not a library");
  const auto broken = open_neural_module({shop.folder() / "libsotto_neural.so"});
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().code, Code::io);
}

class NeuralCli : public ::testing::Test {
 protected:
  NeuralCli() {
    EXPECT_EQ(
        shop_.sotto({"data", "generate", "--users", "120", "--items", "100", "--mean", "20", "--out", "w"})
            .code,
        0);
  }
  [[nodiscard]] cli::Outcome train(const std::string& model, std::vector<std::string> more) const {
    std::vector<std::string> words{"train",   "--data", "w",       "--epochs", "4",
                                   "--model", model,    "--batch", "50",       "--json"};
    const std::vector<std::string> sizes = model.ends_with("neumf")
                                               ? std::vector<std::string>{"--layers", "16,8"}
                                               : std::vector<std::string>{"--hidden", "16", "--latent", "4"};
    words.insert(words.end(), sizes.begin(), sizes.end());
    words.insert(words.end(), more.begin(), more.end());
    return shop_.sotto(words);
  }

  cli::Workshop shop_;
};

TEST_F(NeuralCli, ARunIsKeptAndAnswersWithoutTheModule) {
  for (const std::string model : {"multvae", "neumf", "fedmultvae", "fedneumf"}) {
    const cli::Outcome trained = train(model, {"--out", model});
    ASSERT_EQ(trained.code, 0) << trained.err;
    EXPECT_EQ(trained.json()["model"], model);
    EXPECT_EQ(shop_.has(model + "/devices.bin"), model.ends_with("neumf"));
    // The program alone, in a folder without the module: a kept run needs no torch.
    const std::filesystem::path alone = shop_.folder() / "alone";
    std::filesystem::copy_file(SOTTO_BINARY, alone, std::filesystem::copy_options::overwrite_existing);
    const std::string base = "cd '" + shop_.folder().string() + "' && ./alone ";
    EXPECT_EQ(WEXITSTATUS(std::system((base + "evaluate --run " + model + " --json > judged.json").c_str())),
              0);
    const auto judged = nlohmann::json::parse(shop_.get("judged.json"), nullptr, false);
    EXPECT_EQ(judged["metrics"]["nDCG@10"], trained.json()["metrics"]["nDCG@10"]) << shop_.get("judged.json");
    EXPECT_EQ(WEXITSTATUS(std::system((base + "train --data w --model " + model + " 2> why.txt").c_str())),
              1);
    EXPECT_NE(shop_.get("why.txt").find("libsotto_neural.so"), std::string::npos);
  }
}

TEST_F(NeuralCli, ThePlanOfARunMakesItAgain) {
  const cli::Outcome first = train("multvae", {"--out", "first", "--anneal-cap", "0.1", "--threads", "1"});
  ASSERT_EQ(first.code, 0) << first.err;
  const cli::Outcome again = shop_.sotto({"train", "--plan", "first/plan.toml", "--threads", "2", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(first.json()["model_hash"], again.json()["model_hash"]);
  EXPECT_NE(shop_.get("first/plan.toml").find("anneal_cap = 0.1"), std::string::npos);
  const std::vector<std::string> settings{"--out", "second",     "--lr", "0.25",     "--local-epochs",
                                          "2",     "--proximal", "0.5",  "--server", "momentum"};
  const cli::Outcome averaged_once = train("fedneumf", settings);
  ASSERT_EQ(averaged_once.code, 0) << averaged_once.err;
  EXPECT_GT(averaged_once.json()["bytes_up"], 0);
  const cli::Outcome averaged_again = shop_.sotto({"train", "--plan", "second/plan.toml", "--json"});
  EXPECT_EQ(averaged_once.json()["model_hash"], averaged_again.json()["model_hash"]);
}

TEST_F(NeuralCli, BadSettingsAreUsageErrors) {
  EXPECT_EQ(train("multvae", {"--dropout", "1"}).code, 2);
  EXPECT_EQ(shop_.sotto({"train", "--data", "w", "--model", "neumf", "--layers", "7,4"}).code, 2);
  EXPECT_EQ(train("neumf", {"--negatives", "0"}).code, 2);
  EXPECT_EQ(train("fedneumf", {"--local-epochs", "0"}).code, 2);
  EXPECT_EQ(train("fedneumf", {"--l2", "0.1"}).code, 2);
  EXPECT_EQ(train("fedmultvae", {"--wire"}).code, 2);
  EXPECT_EQ(train("fedmultvae", {"--dp", "central", "--dp-epsilon", "1"}).code, 2);
  shop_.put("plan.toml", "[neural]\nhidde = 3\n");
  const cli::Outcome unknown = train("multvae", {"--plan", "plan.toml"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("hidde"), std::string::npos);
}

}  // namespace
}  // namespace sotto::tests::neural_lab_test
