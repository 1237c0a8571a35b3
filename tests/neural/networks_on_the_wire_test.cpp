// Averaged networks over the wire: the simulator's model, bit for bit, trained by the module on each device;
// a coordinator and a device that only answers need none of it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "base/row_hash.h"
#include "data/generate.h"
#include "engine/protect/weighing.h"
#include "engine/train/neural_module.h"
#include "fed/models/task_models.h"
#include "fed/models/testing/secure_spec.h"
#include "model/averaging/flat_matrices.h"
#include "model/central/multvae.h"
#include "model/central/neumf.h"
#include "privacy/consented_histories.h"
#include "sim/averaging_federation.h"
#include "sim/thread_pool.h"
#include "tests/cli/program.h"
#include "tests/e2e/held_out.h"
#include "tests/e2e/loopback.h"

namespace sotto::tests::networks_on_the_wire_test {
namespace {

constexpr std::uint32_t rounds = 3;
const MultVaeOptions small_vae{.hidden = 12, .latent = 4};
const NeuMfOptions small_neumf{.factors = 4, .layers = {8, 4}};

struct Case {
  const char* name;
  const TaskModel* model;
  double pi = 1.0;
  MaskKind mask = MaskKind::sticky;
  std::uint32_t cohort = 0;  // 0: everybody, in the order they come
  bool secure = false;
  const char* criteria = "";  // by which devices count
};
constexpr std::uint32_t size_bound = 12;

const Split& world() {
  static const Split split =
      split_dataset(generate_world({.users = 40, .items = 50, .mean_interactions = 12.0, .seed = 3}).value(),
                    {})
          .value();
  return split;
}

struct SmallOptions final : TaskOptions {
  void whole(const char* key, std::uint32_t& value) override {
    if (key == std::string_view("hidden")) value = small_vae.hidden;
    if (key == std::string_view("latent")) value = small_vae.latent;
    if (key == std::string_view("factors")) value = small_neumf.factors;
    if (key == std::string_view("local_epochs")) value = 2;
    if (key == std::string_view("batch")) value = 5;
  }
  void real(const char*, float&) override {}
  void choice(const char*, std::initializer_list<const char*>, std::size_t&) override {}
  void wholes(const char*, std::vector<std::uint32_t>& values) override { values = small_neumf.layers; }
};

TaskConfig task_for(const Case& one) {
  TaskConfig config;
  v1::TaskSpec& spec = config.spec;
  const auto users = static_cast<std::uint32_t>(world().train.users());
  spec.set_name("films");
  spec.set_model(one.model->name);
  SmallOptions options;
  one.model->configure(options, spec);
  spec.set_fixed_bits(20);
  spec.set_seed(11);
  spec.set_reproducible(true);
  spec.set_items(static_cast<std::uint32_t>(world().catalogue));
  for (std::uint32_t item = 0; item < world().catalogue; ++item)
    config.catalogue.append(world().items.name(item)).push_back('\n');
  if (one.secure) sum_securely(spec);
  if (one.criteria[0] != '\0') {
    spec.mutable_criteria()->set_order(one.criteria);
    spec.mutable_criteria()->set_size_bound(size_bound);
    spec.mutable_criteria()->set_least_tellers(4);
  }
  config.rules.goal = one.cohort == 0 ? users : one.cohort;
  config.rules.quorum = config.rules.goal;
  config.rules.over_selection = 1.0;
  config.rules.rounds = rounds;
  if (one.cohort != 0) {
    config.rules.selection = RoundRules::Selection::drawn;
    config.rules.population = users;
  }
  return config;
}

// What the simulator makes of it.
FederationState simulated(const Case& one, const Histories& people = world().train) {
  const bool is_vae = one.model == &fedmultvae_task;
  const ConsentPolicy policy{.pi = one.pi, .mask = one.mask, .people = nullptr};
  const ConsentedHistories histories(policy, people, 11);
  const NeuralModule& module = **open_neural_module();
  const auto task = (is_vae ? module.start_fed_multvae(histories, world().catalogue, small_vae)
                            : module.start_fed_neumf(histories, world().catalogue, small_neumf))
                        .value();
  const AveragedRates rates = is_vae ? multvae_rates : neumf_rates;
  AveragingPlan plan;
  plan.seed = 11;
  plan.cohort = 1.0;
  if (one.cohort != 0) plan.cohort = double{1} * one.cohort / static_cast<double>(world().train.users());
  plan.local = {.epochs = 2, .batch = 5, .rate = rates.device};
  plan.server = {.step = ServerStep::adam, .rate = rates.adam};
  plan.fixed = FixedPoint{20};
  ThreadPool pool(2);
  const SumShape shape = averaging_shape(task->parameters());
  PlainCollector sum(shape);
  Collector* collector = &sum;
  // As `sotto train` weighs: the last row is of counts.
  TrainRequest request;
  request.criteria.order = one.criteria;
  std::unique_ptr<Weighing> weighing;
  if (request.criteria.asked()) {
    request.criteria.size_bound = size_bound;
    request.plan.fixed = plan.fixed;
    request.sum.assumed.crowd = 4;
    const auto users = static_cast<std::uint32_t>(world().train.users());
    Population everybody{{}, {.cohort = one.cohort == 0 ? users : one.cohort}};
    for (std::uint32_t user = 0; user < users; ++user) everybody.users.push_back({user});
    weighing =
        make_weighing(request, world(), everybody, small_sums(request.sum, 11, pool), sum, shape.rows - 1)
            .value();
    collector = weighing.get();
  }
  AveragingFederation federation(*task, plan, pool, *collector);
  EXPECT_TRUE(federation.run(rounds).ok());
  return std::move(federation).take();
}

FleetOptions fleet_of(const Case& one, const TaskConfig& config, const NetworkTasks* networks) {
  FleetOptions options;
  options.devices = static_cast<std::uint32_t>(world().train.users());
  options.workers = 4;
  options.reproducible = true;
  options.policy.pi = one.pi;
  options.policy.mask = one.mask;
  options.exchanges = config.rules.rounds * config.rules.goal;
  options.seconds = 120.0;
  options.networks = networks;
  return options;
}

class NetworksOverTheWire : public testing::TestWithParam<Case> {};

TEST_P(NetworksOverTheWire, GiveTheSimulatorsModel) {
  ASSERT_EQ(world().users_without_training(), 0u) << "each user's index is a device's";
  const TaskConfig config = task_for(GetParam());
  e2e::Loopback loopback(config);
  const NeuralTasks networks;
  const FleetOptions options = fleet_of(GetParam(), config, &networks);
  const auto devices = enrol_fleet(options, loopback.tokens(options.devices), loopback.connect());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(world(), options, *devices, loopback.connect(), {.stop = stop});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->of(Ending::answered), options.exchanges);
  EXPECT_TRUE(report->refusals.empty());
  EXPECT_EQ(loopback.versions(), rounds + 1);
  EXPECT_EQ(loopback.model_hash(), hash_rows(simulated(GetParam()).shared));
}

INSTANTIATE_TEST_SUITE_P(
    InEveryWay, NetworksOverTheWire,
    testing::Values(
        Case{"Vae", &fedmultvae_task}, Case{"VaeHalfRedrawn", &fedmultvae_task, 0.5, MaskKind::redraw},
        Case{"VaeDrawn", &fedmultvae_task, 1.0, MaskKind::sticky, 15},
        Case{"VaeSecureHalf", &fedmultvae_task, 0.5, MaskKind::sticky, 0, true},
        Case{"VaeWeighed", &fedmultvae_task, 1.0, MaskKind::sticky, 15, false, "closeness>size"},
        Case{"VaeWeighedSecure", &fedmultvae_task, 1.0, MaskKind::sticky, 0, true, "size>closeness"},
        Case{"NeuMfWeighed", &fedneumf_task, 1.0, MaskKind::sticky, 15, false, "size"},
        Case{"NeuMf", &fedneumf_task}, Case{"NeuMfDrawnHalf", &fedneumf_task, 0.5, MaskKind::redraw, 15},
        Case{"NeuMfSecure", &fedneumf_task, 1.0, MaskKind::sticky, 0, true}),
    [](const auto& each) { return std::string(each.param.name); });

// What devices say of their lists is what a central evaluation of the released network says, with the private
// rows that the simulator learns from the same histories.
class NetworksJudgedOverTheWire : public testing::TestWithParam<const TaskModel*> {};

TEST_P(NetworksJudgedOverTheWire, HaveTheFiguresOfACentralEvaluation) {
  const Case one{"", GetParam()};
  TaskConfig config = task_for(one);
  e2e::hold_out(config, world());
  e2e::Loopback loopback(config);
  const NeuralTasks networks;
  const auto judged =
      e2e::judged_over_the_wire(loopback, config, world(), fleet_of({"", GetParam()}, config, &networks));
  const Task task = *read_task(config.spec);
  const RowMatrix rows = e2e::released_rows(loopback, task);
  const Split judging = e2e::without_held_out(task, world());
  const FederationState state = simulated(one, judging.train);
  EXPECT_EQ(hash_rows(rows), hash_rows(state.shared));
  ThreadPool pool(2);
  const bool is_vae = GetParam() == &fedmultvae_task;
  const auto shapes =
      is_vae ? multvae_shared_shapes(task.items, small_vae) : neumf_shared_shapes(task.items, small_neumf);
  std::vector<RowMatrix> layers = matrices_of({rows.row(0), flat_ends(shapes).back()}, shapes);
  RowMatrix items = std::move(layers.front());
  layers.erase(layers.begin());
  std::unique_ptr<Recommender> central;
  if (is_vae)
    central = std::make_unique<MultVae>(judging.train, std::move(items), std::move(layers), pool);
  else
    central = std::make_unique<NeuMf>(small_neumf, task.plan.seed, state.devices.on_device(),
                                      std::move(items), std::move(layers));
  e2e::expect_equal(judged, *central, judging, pool);
}

INSTANTIATE_TEST_SUITE_P(EachModel, NetworksJudgedOverTheWire,
                         testing::Values(&fedmultvae_task, &fedneumf_task),
                         [](const auto& each) { return std::string(each.param->name); });

// What some do wrong changes nothing for the others.
TEST(NetworksOnTheWire, LeaveHostileDevicesBehind) {
  const Case one{"", &fedneumf_task};
  TaskConfig config = task_for(one);
  config.rules.goal = 12;
  config.rules.quorum = 5;
  config.rules.over_selection = 2.0;
  config.rules.gather_ms = 500;
  config.rules.round_ms = 2'000;
  config.rules.rounds = 0;
  e2e::Loopback loopback(config);
  const NeuralTasks networks;
  FleetOptions options = fleet_of(one, config, &networks);
  options.exchanges = 0;
  options.byzantine = 0.3;
  options.dropout = 0.1;
  options.seconds = 3.0;
  const auto devices = enrol_fleet(options, loopback.tokens(options.devices), loopback.connect());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(world(), options, *devices, loopback.connect(), {.stop = stop});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GE(loopback.versions(), 3u);
  EXPECT_TRUE(report->refusals.contains(v1::REFUSAL_BAD_MESSAGE));
  EXPECT_FALSE(report->refusals.contains(v1::REFUSAL_INTERNAL));
}

// A person is told the scores that the simulator judges.
TEST(NetworksOnADevice, AnswerAsTheSimulatorsRecommender) {
  for (const TaskModel* model : {&fedmultvae_task, &fedneumf_task}) {
    const Case one{"", model};
    const Task task = *read_task(task_for(one).spec);
    const FederationState state = simulated(one);
    const bool is_vae = model == &fedmultvae_task;
    std::vector<RowMatrix> layers = matrices_of(
        {state.shared.row(0), state.shared.rows() * state.shared.width()},
        is_vae ? multvae_shared_shapes(task.items, small_vae) : neumf_shared_shapes(task.items, small_neumf));
    RowMatrix items = std::move(layers.front());
    layers.erase(layers.begin());
    SerialExecutor here;
    std::unique_ptr<Recommender> recommender;
    if (is_vae)
      recommender = std::make_unique<MultVae>(world().train, items, layers, here);
    else
      recommender = std::make_unique<NeuMf>(small_neumf, 11, state.devices.on_device(), items, layers);
    for (std::uint32_t user = 0; user < world().train.users(); ++user) {
      const UserIndex person{user};
      std::vector<float> expected(task.items), scores(task.items);
      recommender->score(std::span(&person, 1), {0, static_cast<std::uint32_t>(task.items)}, expected);
      const auto had = world().train.of(person);
      const Histories history({0, had.size()}, {had.begin(), had.end()});
      RowMatrix row(1, 1);
      if (!is_vae) {
        const auto values = state.devices.on_device().values(user);
        row = RowMatrix(1, values.size());
        std::ranges::copy(values, row.values(0).begin());
      }
      const Private<RowMatrix> own(std::move(row));
      const auto answers = model->answers({task, state.shared, history, &own});
      ASSERT_TRUE(answers.ok()) << answers.error().message;
      (*answers)->score(scores);
      EXPECT_EQ(scores, expected) << model->name << ' ' << user;
    }
  }
}

// Without the module a device does not say that it knows the model, and is not asked; the coordinator, which
// has none either, goes on.
TEST(NetworksWithoutTheModule, AreNotAskedFor) {
  const Case one{"", &fedmultvae_task};
  const TaskConfig config = task_for(one);
  e2e::Loopback loopback(config);
  FleetOptions options = fleet_of(one, config, nullptr);
  options.seconds = 1.0;
  const auto devices = enrol_fleet(options, loopback.tokens(options.devices), loopback.connect());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(world(), options, *devices, loopback.connect(), {.stop = stop});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GT(report->of(Ending::no_work), 0u);
  EXPECT_EQ(report->assigned(), 0u);
  EXPECT_TRUE(report->refusals.empty() && report->objections.empty());
  EXPECT_EQ(loopback.versions(), 1u);
}

// The agent: it trains with the module beside it, and recommends and explains without.
TEST(NetworksWithoutTheModule, AnswerStill) {
  for (const TaskModel* model : {&fedmultvae_task, &fedneumf_task}) {
    const cli::Workshop shop;
    TaskConfig config = task_for({"", model});
    config.spec.set_reproducible(false);
    config.spec.set_items(10);
    config.catalogue.clear();
    for (int n = 0; n < 10; ++n) config.catalogue += "film " + std::to_string(n) + "\n";
    config.rules = {};
    config.rules.goal = config.rules.quorum = 1;
    config.rules.over_selection = 1.0;
    config.rules.gather_ms = 0;
    const auto device = [&](cli::Words words) {
      words.insert(words.begin(), "device");
      words.insert(words.end(), {"--dir", "d", "--json"});
      return shop.sotto(words);
    };
    ASSERT_EQ(device({"init"}).code, 0);
    ASSERT_EQ(device({"add", "film 1", "film 7", "film 9"}).code, 0);
    ASSERT_EQ(device({"consent", "preset", "open"}).code, 0);
    e2e::Loopback server(config);
    shop.put("ca.pem", server.ca_pem());
    shop.put("token", server.tokens(1).at(0) + "\n");
    ASSERT_EQ(device({"enrol", "--server", server.address(), "--ca", "ca.pem", "--token-file", "token"}).code,
              0);
    for (int n = 0; n < 2; ++n) EXPECT_EQ(device({"run", "--once"}).json()["ending"], "answered");
    const auto best = device({"recommend", "-k", "3"}).json()["items"];
    ASSERT_EQ(best.size(), 3u);
    std::filesystem::copy_file(SOTTO_BINARY, shop.folder() / "alone");
    const auto alone = [&](const std::string& words) {
      const std::string command =
          "cd '" + shop.folder().string() + "' && ./alone device " + words + " --dir d > out.txt";
      EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << words;
      return shop.get("out.txt");
    };
    EXPECT_EQ(nlohmann::json::parse(alone("recommend -k 3 --json"))["items"], best);
    const auto said = nlohmann::json::parse(alone("explain 'film 1' --json"));
    EXPECT_EQ(said["by_items"], false);
    EXPECT_TRUE(said["because"].empty());
    const std::string why = alone("explain 'film 1'");
    EXPECT_NE(why.find("A network reckons it"), std::string::npos) << why;
    EXPECT_NE(why.find("You have it already"), std::string::npos) << why;
    EXPECT_EQ(nlohmann::json::parse(alone("run --once --json"))["ending"], "no work");
  }
}

}  // namespace
}  // namespace sotto::tests::networks_on_the_wire_test
