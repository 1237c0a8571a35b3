// Averaged classifiers over the wire: the simulator's model, bit for bit, from devices that hold the examples
// that the simulator dealt to them.
#include <gtest/gtest.h>

#include <cmath>

#include "base/row_hash.h"
#include "data/examples/idx.h"
#include "engine/train/neural_module.h"
#include "host/serve/serve_config.h"
#include "sim/thread_pool.h"
#include "tests/cli/program.h"
#include "tests/neural/classifier_world.h"

namespace sotto::tests::classifiers {
namespace {

class ClassifiersOverTheWire : public testing::TestWithParam<Case> {};

TEST_P(ClassifiersOverTheWire, GiveTheSimulatorsModel) {
  const TaskConfig config = task_for(GetParam());
  e2e::Loopback loopback(config);
  const NeuralTasks networks;
  FleetOptions options = fleet_of(GetParam(), networks);
  options.exchanges = std::uint64_t{rounds} * config.rules.goal;
  const Split split = split_of(std::make_shared<const DealtExamples>(world()));
  const auto enrolled = enrol_fleet(options, loopback.tokens(devices), loopback.connect());
  ASSERT_TRUE(enrolled.ok()) << enrolled.error().message;
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(split, options, *enrolled, loopback.connect(), {.stop = stop});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->of(Ending::answered), options.exchanges);
  EXPECT_TRUE(report->refusals.empty());
  EXPECT_EQ(loopback.versions(), rounds + 1);
  EXPECT_EQ(loopback.model_hash(), hash_rows(simulated(GetParam()).shared));
}

INSTANTIATE_TEST_SUITE_P(InEveryWay, ClassifiersOverTheWire,
                         testing::Values(Case{"Dense"}, Case{"Cnn", ClassifierKind::cnn},
                                         Case{"DenseDrawn", ClassifierKind::dense, 1.0, 9},
                                         Case{"DenseDrawnSecure", ClassifierKind::dense, 1.0, 15, true},
                                         Case{"DenseAdamHalf", ClassifierKind::dense, 0.5, 0, false, "adam"},
                                         Case{"CnnSecureHalf", ClassifierKind::cnn, 0.5, 0, true},
                                         weighed("Weighed", "DS>LD>MW"), weighed("WeighedDrawn", "RC>IS", 9),
                                         weighed("WeighedSecure", "LD>DS", 0, true),
                                         weighed("WeighedByLayersSecure", "MWL>RC", 15, true),
                                         weighed("CnnWeighed", "MWL>MW", 0, false, ClassifierKind::cnn),
                                         weighed("ByAll", "DS>LD>IS>RC>MW>MWL", 9)),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ClassifiersOnTheWire, BeginAsTheModuleBegins) {
  for (const ClassifierKind kind : {ClassifierKind::cnn, ClassifierKind::dense}) {
    const Case one{"", kind};
    const Task task = *read_task(task_for(one).spec);
    const auto local =
        (*open_neural_module())->start_classifier(*world().examples, world().dealt, network_of(one)).value();
    std::vector<float> expected(local->parameters());
    local->start(seed, expected);
    const RowMatrix shared = task.model->server(task)->start().shared;
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), shared.row(0)));
  }
}

// What a device says of an example without libtorch is what the module finds right.
TEST(ClassifiersOnADevice, SayWhatTheModuleSays) {
  for (const ClassifierKind kind : {ClassifierKind::cnn, ClassifierKind::dense}) {
    const Case one{"", kind};
    const Task task = *read_task(task_for(one).spec);
    const FederationState state = simulated(one);
    Dealt::Hand all;
    for (std::uint32_t place = 0; place < world().examples->count(); ++place) all.test.push_back(place);
    const Dealt hands = Dealt::of_one(std::move(all));
    const auto local =
        (*open_neural_module())->start_classifier(*world().examples, hands, network_of(one)).value();
    std::vector<std::uint8_t> right(world().examples->count());
    const std::span<const float> flat(state.shared.row(0), local->parameters());
    ASSERT_TRUE(local->score({0}, LocalPart::test, flat, right).ok());
    std::size_t hits = 0;
    for (std::size_t n = 0; n < right.size(); ++n) {
      const std::span<const std::uint8_t> example(world().examples->of(n), world().examples->size());
      const std::vector<float> shares = task.model->classify(task, state.shared, example);
      const auto best = std::ranges::max_element(shares) - shares.begin();
      EXPECT_EQ(best == world().examples->labels[n], right[n] == 1) << n;
      hits += right[n];
    }
    EXPECT_GT(hits, 0u);
    EXPECT_LT(hits, right.size());
  }
}

// The command: a fleet deals the examples that a training of these flags deals.
TEST(ClassifiersInAFleet, HoldTheExamplesOfATrainingOfTheSameFlags) {
  DataRequest data;
  data.split.seed = seed;
  data.examples.wanted = data.examples.generate = true;
  data.examples.count = 144;
  data.examples.deal = DealKind::shards;
  data.examples.devices = 12;
  const Prepared prepared = prepare(data).value();
  const ClassifierOptions network{.kind = ClassifierKind::dense, .hidden = {4}};
  const DealtExamples& dealt = *prepared.split.examples;
  const auto task = (*open_neural_module())->start_classifier(*dealt.examples, dealt.dealt, network).value();
  AveragingPlan plan;
  plan.seed = seed;
  plan.cohort = 1.0;
  plan.local = {.epochs = 2, .batch = 5};
  ThreadPool pool(2);
  PlainCollector collector(averaging_shape(task->parameters()));
  AveragingFederation federation(*task, plan, pool, collector);
  ASSERT_TRUE(federation.run(2).ok());

  // What is said of neither is the same for both, such as the bits of what devices send.
  const auto config = parse_serve_config(
      "[task.digits]\nitems = 10\nmodel = \"fedavg\"\nnetwork = \"dense\"\nhidden = [4]\nbatch = 5\n"
      "collection = \"digits\"\nlocal_epochs = 2\nseed = 11\nreproducible = true\n"
      "goal = 12\nquorum = 12\nover_selection = 1\nrounds = 2\n",
      "c.toml", "");
  ASSERT_TRUE(config.ok()) << config.error().message;
  e2e::Loopback server(config->tasks.front());
  const cli::Workshop shop;
  shop.put("ca.pem", server.ca_pem());
  std::string tokens;
  for (const std::string& token : server.tokens(12)) tokens += token + "\n";
  shop.put("tokens", tokens);
  const auto fleet = shop.sotto({"fleet",      "--server",       server.address(),
                                 "--ca",       "ca.pem",         "--tokens",
                                 "tokens",     "--collection",   "digits",
                                 "--generate", "--examples",     "144",
                                 "--deal",     "shards",         "--deal-to",
                                 "12",         "--reproducible", "--exchanges",
                                 "24",         "--seconds",      "60",
                                 "--quiet",    "--seed",         "11",
                                 "--json"});
  ASSERT_EQ(fleet.code, 0) << fleet.err;
  EXPECT_EQ(fleet.json()["endings"]["answered"], 24u) << fleet.out;
  EXPECT_EQ(server.versions(), 3u);
  EXPECT_EQ(server.model_hash(), hash_rows(federation.state().shared));
}

// The agent: a person's own files, a round, and what the ledger says of it.
TEST(ClassifiersOnADevice, TrainOnAPersonsOwnFiles) {
  const cli::Workshop shop;
  TaskConfig config = task_for({""});
  config.spec.set_reproducible(false);
  config.rules = {};
  config.rules.goal = config.rules.quorum = 1;
  config.rules.over_selection = 1.0;
  config.rules.gather_ms = 0;
  const auto device = [&](cli::Words words, bool json = true) {
    words.insert(words.begin(), "device");
    words.insert(words.end(), {"--dir", "d"});
    if (json) words.push_back("--json");
    return shop.sotto(words);
  };
  const auto text_of = [](const Bytes& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  std::filesystem::create_directory(shop.folder() / "mine");
  const IdxFiles train = idx_training_part(*world().examples), test = idx_test_part(*world().examples);
  shop.put("mine/train-images-idx3-ubyte", text_of(train.images));
  shop.put("mine/train-labels-idx1-ubyte", text_of(train.labels));
  shop.put("mine/t10k-images-idx3-ubyte", text_of(test.images));
  shop.put("mine/t10k-labels-idx1-ubyte", text_of(test.labels));
  ASSERT_EQ(device({"init"}).code, 0);
  EXPECT_EQ(device({"add", "--examples", "mine", "--collection", "digits"}).json()["examples"], 240u);
  ASSERT_EQ(device({"consent", "preset", "open"}).code, 0);
  e2e::Loopback server(config);
  shop.put("ca.pem", server.ca_pem());
  shop.put("token", server.tokens(1).at(0) + "\n");
  ASSERT_EQ(device({"enrol", "--server", server.address(), "--ca", "ca.pem", "--token-file", "token"}).code,
            0);
  for (int n = 0; n < 2; ++n) EXPECT_EQ(device({"run", "--once"}).json()["ending"], "answered");
  EXPECT_EQ(server.versions(), 3u);
  const auto entry = device({"ledger", "list"}).json()["entries"].back();
  EXPECT_EQ(entry["mechanism"], "examples of digits, plain");
  EXPECT_EQ(entry["items"].size(), 240u);
  const std::string said = device({"ledger", "list"}, false).out;
  EXPECT_NE(said.find("how a network moved"), std::string::npos) << said;
  const auto told = device({"classify"}).json();
  ASSERT_EQ(told["examples"].size(), 240u);
  std::size_t right = 0;
  for (const auto& one : told["examples"]) right += one["class"] == std::to_string(one["label"].get<int>());
  EXPECT_EQ(told["right"], right);
  const auto name = told["examples"][0]["name"].get<std::string>();
  EXPECT_EQ(device({"classify", name}).json()["examples"].size(), 1u);
  EXPECT_EQ(device({"classify", "none"}).code, 1);
  EXPECT_EQ(device({"classify", name}, false).out.find(name + "\t"), 0u);
  const cli::Outcome none = device({"recommend"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("recommends nothing"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace sotto::tests::classifiers
