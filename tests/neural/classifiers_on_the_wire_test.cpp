// Averaged classifiers over the wire: the simulator's model, bit for bit, from devices that hold the examples
// that the simulator dealt to them.
#include <gtest/gtest.h>

#include <cmath>

#include "base/row_hash.h"
#include "data/examples/deal.h"
#include "data/examples/dealt_examples.h"
#include "data/examples/generate_examples.h"
#include "data/examples/idx.h"
#include "engine/train/neural_module.h"
#include "fed/models/task_models.h"
#include "host/serve/serve_config.h"
#include "privacy/consent.h"
#include "sim/averaging_federation.h"
#include "sim/thread_pool.h"
#include "tests/cli/program.h"
#include "tests/e2e/loopback.h"

namespace sotto::tests::classifiers_on_the_wire_test {
namespace {

constexpr std::uint32_t rounds = 3, devices = 24, side = 12;
constexpr std::uint64_t seed = 11;

struct Case {
  const char* name;
  ClassifierKind kind = ClassifierKind::dense;
  double pi = 1.0;
  std::uint32_t cohort = 0;  // 0: everybody, in the order they come
  bool secure = false;
  const char* server = "sgd";
};

// Two labels each.
const DealtExamples& world() {
  static const DealtExamples dealt = [] {
    auto examples = std::make_shared<const Examples>(
        generate_pictures({.training = 240, .test = 48, .side = side, .seed = 3}).value());
    Dealt hands = deal_shards(*examples, devices, 2, {.seed = 3}).value();
    return DealtExamples{std::move(examples), std::move(hands)};
  }();
  return dealt;
}

ClassifierOptions network_of(const Case& one) {
  return {.kind = one.kind, .filter = 3, .channels = {3, 4}, .hidden = {6}};
}

struct SmallOptions final : TaskOptions {
  explicit SmallOptions(const Case& its) : one(its) {}
  void whole(const char* key, std::uint32_t& value) override {
    if (key == std::string_view("height") || key == std::string_view("width")) value = side;
    if (key == std::string_view("filter")) value = 3;
    if (key == std::string_view("local_epochs")) value = 2;
    if (key == std::string_view("batch")) value = 4;
  }
  void real(const char* key, float& value) override {
    if (key == std::string_view("proximal")) value = 0.01f;
  }
  void choice(const char* key, std::initializer_list<const char*> words, std::size_t& place) override {
    const std::string_view word = key == std::string_view("network") ? to_string(one.kind) : one.server;
    place = static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
  }
  void wholes(const char* key, std::vector<std::uint32_t>& values) override {
    values = key == std::string_view("hidden") ? network_of(one).hidden : network_of(one).channels;
  }
  void text(const char*, std::string& value) override { value = "digits"; }
  const Case& one;
};

TaskConfig task_for(const Case& one) {
  TaskConfig config;
  v1::TaskSpec& spec = config.spec;
  spec.set_name("digits");
  spec.set_model(fedavg_task.name);
  SmallOptions options(one);
  fedavg_task.configure(options, spec);
  spec.set_fixed_bits(20);
  spec.set_seed(seed);
  spec.set_reproducible(true);
  spec.set_items(world().examples->classes);
  if (one.secure) {
    spec.set_sum(v1::SUM_SECURE);
    v1::SumAssumed& assumed = *spec.mutable_assumed();
    assumed.set_corrupt(0.05);
    assumed.set_dropped(0.1);
    assumed.set_leak(1e-6);
    assumed.set_abort(1e-3);
    assumed.set_crowd(4);
  }
  config.rules.goal = one.cohort == 0 ? devices : one.cohort;
  config.rules.quorum = config.rules.goal;
  config.rules.over_selection = 1.0;
  config.rules.rounds = rounds;
  if (one.cohort != 0) {
    config.rules.selection = RoundRules::Selection::drawn;
    config.rules.population = devices;
  }
  return config;
}

// The simulator has no shares of examples: each hand has those alone that its person's device lets out.
Dealt shared_by(const Case& one) {
  std::vector<Dealt::Hand> hands;
  for (std::uint32_t device = 0; device < devices; ++device) {
    Dealt::Hand& hand = hands.emplace_back(world().dealt.of({device}));
    const ConsentPolicy policy{.pi = one.pi, .mask = MaskKind::sticky, .people = nullptr};
    ConsentGate gate(policy, seed, 0, {device});
    std::erase_if(hand.train, [&](std::uint32_t place) { return !gate.allows(Evidence::positive, place); });
    EXPECT_FALSE(hand.train.empty()) << "everybody takes part";
  }
  return Dealt(std::move(hands));
}

FederationState simulated(const Case& one) {
  const NeuralModule& module = **open_neural_module();
  const Dealt hands = shared_by(one);
  const auto task = module.start_classifier(*world().examples, hands, network_of(one)).value();
  AveragingPlan plan;
  plan.seed = seed;
  plan.cohort = one.cohort == 0 ? 1.0 : double{1} * one.cohort / devices;
  plan.local = {.epochs = 2, .batch = 4, .rate = classifier_rates.device, .proximal = 0.01f};
  if (one.server == std::string_view("adam"))
    plan.server = {.step = ServerStep::adam, .rate = classifier_rates.adam};
  plan.fixed = FixedPoint{20};
  ThreadPool pool(2);
  PlainCollector collector(averaging_shape(task->parameters()));
  AveragingFederation federation(*task, plan, pool, collector);
  EXPECT_TRUE(federation.run(rounds).ok());
  return std::move(federation).take();
}

class ClassifiersOverTheWire : public testing::TestWithParam<Case> {};

TEST_P(ClassifiersOverTheWire, GiveTheSimulatorsModel) {
  const TaskConfig config = task_for(GetParam());
  e2e::Loopback loopback(config);
  const NeuralTasks networks;
  FleetOptions options;
  options.devices = devices;
  options.workers = 4;
  options.reproducible = true;
  options.policy.pi = GetParam().pi;
  options.policy.mask = MaskKind::sticky;
  options.exchanges = std::uint64_t{rounds} * config.rules.goal;
  options.seconds = 120.0;
  options.networks = &networks;
  options.collection = "digits";
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
                                         Case{"CnnSecureHalf", ClassifierKind::cnn, 0.5, 0, true}),
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
}  // namespace sotto::tests::classifiers_on_the_wire_test
