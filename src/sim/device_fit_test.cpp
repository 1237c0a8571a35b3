// A device that knows itself alone computes what the simulator's device of its index does.
#include "fed/wire/device_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "fed/models/task_model.h"
#include "fed/models/testing/slow_als.h"
#include "fed/models/testing/toy_networks.h"
#include "fed/models/testing/usual_spec.h"
#include "privacy/consented_histories.h"
#include "sim/averaging_federation.h"
#include "sim/federation.h"
#include "sim/history_federation.h"
#include "sim/testing/some_histories.h"
#include "sim/thread_pool.h"

namespace sotto::sim::device_fit_test {

v1::TaskSpec small_task(std::uint32_t items) {
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model("fpl");
  spec.set_factors(8);
  spec.set_learning_rate(0.05f);
  spec.set_user_reg(0.0025f);
  spec.set_positive_reg(0.0025f);
  spec.set_negative_reg(0.00025f);
  spec.set_init_sd(0.1f);
  spec.set_triples(5);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_reproducible(true);
  spec.set_items(items);
  return spec;
}

class ADevicesOwnFit : public testing::TestWithParam<std::pair<double, MaskKind>> {};

TEST_P(ADevicesOwnFit, IsTheSimulators) {
  constexpr std::uint32_t users = 6, items = 40, rounds = 4;
  const Histories histories = some_histories(users, items);
  Task task = *read_task(small_task(items));
  const ConsentTerms terms{.pi = GetParam().first, .mask = GetParam().second, .rules = {}};
  Plan plan = task.plan;
  plan.consent = {.pi = terms.pi, .mask = terms.mask};
  const Schedule schedule{
      .cohort = users, .triples = *task.plan.triples, .rounds_per_epoch = 1, .rounds = rounds};
  ThreadPool pool(1);
  const Fpl model(options_of<FplOptions>(task), items, plan.seed);
  FplFederation federation(model, plan, schedule, histories, pool);

  RowMatrix shared = model.start_shared();
  std::deque<DeviceFit> devices;
  std::vector<RowMatrix> own;
  for (std::uint32_t user = 0; user < users; ++user) {
    const auto history = histories.of(UserIndex{user});
    devices.emplace_back(task, DeviceStreams{plan.seed, UserIndex{user}},
                         std::vector(history.begin(), history.end()), terms);
    own.push_back(devices.back().start().on_device());
  }
  SumSpace space(items, shared.width());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Aggregator sum(space);
    for (std::uint32_t user = 0; user < users; ++user) {
      auto contribution = devices[user].fit(round, shared, own[user]);
      ASSERT_TRUE(contribution.ok());
      ASSERT_TRUE(sum.accept(**contribution).ok());
    }
    std::move(sum).release(
        [&](std::uint32_t row, const auto* values) { model.apply(values, plan.fixed, shared.row(row)); });
    ASSERT_TRUE(federation.run(1).ok());
    EXPECT_EQ(hash_rows(shared), hash_rows(federation.state().shared)) << "round " << round;
    for (std::uint32_t user = 0; user < users; ++user)
      for (std::size_t k = 0; k < own[user].width(); ++k)
        EXPECT_EQ(own[user].row(0)[k], federation.state().devices.on_device().row(user)[k]);
  }
}

// Every second person has rules of their own; and what a device solves before it recommends is the row that
// the simulator judges.
TEST_P(ADevicesOwnFit, OfFederatedAlsIsTheSimulators) {
  constexpr std::uint32_t users = 6, items = 40, rounds = 4;
  const Histories histories = some_histories(users, items);
  const Task task = *read_task(als_spec(items));
  std::vector<ConsentTerms> kinds(2, {.pi = GetParam().first, .mask = GetParam().second, .rules = {}});
  kinds[1].rules.assign(items, ItemRule::none);
  for (std::uint32_t item = 0; item < items; item += 3) kinds[1].rules[item] = ItemRule::never;
  for (std::uint32_t item = 1; item < items; item += 4) kinds[1].rules[item] = ItemRule::always;
  Plan plan = task.plan;
  plan.consent.people =
      std::make_shared<const ConsentBook>(kinds, std::vector<std::uint16_t>{0, 1, 0, 1, 0, 1}, plan.seed);
  const Schedule schedule{.cohort = users, .triples = 0, .rounds_per_epoch = 1, .rounds = rounds};
  ThreadPool pool(1);
  HistoryFederation<FedAls> federation({options_of<AlsOptions>(task), items}, plan, schedule, histories,
                                       pool);

  const auto server = task.model->server(task);
  ServerState state = server->start();
  SumSpace space(task.shape().sum_rows, task.shape().sum_width);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Aggregator sum(space);
    for (std::uint32_t user = 0; user < users; ++user) {
      const auto history = histories.of(UserIndex{user});
      DeviceFit device(task, DeviceStreams{plan.seed, UserIndex{user}},
                       std::vector(history.begin(), history.end()), kinds[user % 2]);
      Private<RowMatrix> own = device.start();
      const auto contribution = device.fit(round, state.shared, own.on_device());
      ASSERT_TRUE(contribution.ok());
      ASSERT_TRUE(sum.accept(**contribution).ok());
    }
    state = server->release(round, state, std::move(sum)).value();
    const RowMatrix& shared = state.shared;
    ASSERT_TRUE(federation.run(1).ok());
    EXPECT_EQ(hash_rows(shared), hash_rows(federation.state().shared)) << "round " << round;
    for (std::uint32_t user = 0; user < users; ++user) {
      const auto own = histories.of(UserIndex{user});
      const Histories history({0, own.size()}, {own.begin(), own.end()});
      const auto answers = task.model->answers({task, shared, history, nullptr});
      ASSERT_TRUE(answers.ok());
      std::vector<float> scores(items);
      (*answers)->score(scores);
      for (std::uint32_t item = 0; item < items; ++item)
        EXPECT_EQ(scores[item], dot_rows(shared.row(item), federation.state().devices.on_device().row(user),
                                         shared.stride()));
    }
  }
}

// A device of FCF answers for every item; its server carries moments from round to round.
TEST_P(ADevicesOwnFit, OfFcfIsTheSimulators) {
  constexpr std::uint32_t users = 6, items = 40, rounds = 5;
  const Histories histories = some_histories(users, items);
  v1::TaskSpec spec = usual_spec(fcf_task, items);
  spec.set_seed(7);
  spec.set_reproducible(true);
  const auto task = read_task(spec);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const ConsentTerms terms{.pi = GetParam().first, .mask = GetParam().second, .rules = {}};
  Plan plan = task->plan;
  plan.consent = {.pi = terms.pi, .mask = terms.mask};
  const Schedule schedule{.cohort = users, .triples = 0, .rounds_per_epoch = 1, .rounds = rounds};
  ThreadPool pool(1);
  FcfOptions options;
  options.als.reg_power = 0.0f;
  options.als.seed = 7;
  HistoryFederation<Fcf> federation({options, items, 1.0}, plan, schedule, histories, pool);

  const auto server = task->model->server(*task);
  ServerState state = server->start();
  SumSpace space(task->shape().sum_rows, task->shape().sum_width);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Aggregator sum(space);
    for (std::uint32_t user = 0; user < users; ++user) {
      const auto history = histories.of(UserIndex{user});
      DeviceFit device(*task, DeviceStreams{plan.seed, UserIndex{user}},
                       std::vector(history.begin(), history.end()), terms);
      Private<RowMatrix> own = device.start();
      const auto contribution = device.fit(round, state.shared, own.on_device());
      ASSERT_TRUE(contribution.ok());
      EXPECT_TRUE(server->check(**contribution).ok());
      ASSERT_TRUE(sum.accept(**contribution).ok());
    }
    state = server->release(round, state, std::move(sum)).value();
    ASSERT_TRUE(federation.run(1).ok());
    EXPECT_EQ(hash_rows(state.shared), hash_rows(federation.state().shared)) << "round " << round;
    EXPECT_EQ(hash_rows(state.memory), hash_rows(federation.state().memory)) << "round " << round;
  }
}

// Few numbers, and of the server's steps the one that carries most along.
struct SmallNetwork final : TaskOptions {
  void whole(const char* key, std::uint32_t& value) override {
    const std::map<std::string_view, std::uint32_t> small{
        {"hidden", 3}, {"latent", 2}, {"factors", 3}, {"local_epochs", 2}};
    if (const auto found = small.find(key); found != small.end()) value = found->second;
  }
  void real(const char*, float&) override {}
  void choice(const char*, std::initializer_list<const char*>, std::size_t&) override {}
  void wholes(const char*, std::vector<std::uint32_t>& values) override { values = {4, 3}; }
};

// Everybody's task of a network, as the simulator has it, and the plan of its federation.
struct SimulatedNetwork {
  SimulatedNetwork(const TaskModel& model, const ConsentPolicy& policy, const Histories& all,
                   std::uint32_t items)
      : everybody(policy, all, 7) {
    const bool is_vae = &model == &fedmultvae_task;
    const AveragedRates rates = is_vae ? multvae_rates : neumf_rates;
    local = (is_vae ? toys.start_fed_multvae(everybody, items, {.hidden = 3, .latent = 2})
                    : toys.start_fed_neumf(everybody, items, {.factors = 3, .layers = {4, 3}}))
                .value();
    plan.seed = 7;
    plan.cohort = 1.0;
    plan.local = {.epochs = 2, .rate = rates.device};
    plan.server = {.step = ServerStep::adam, .rate = rates.adam};
    plan.fixed = FixedPoint{20};
  }

  ToyNetworks toys;
  ConsentedHistories everybody;
  std::unique_ptr<LocalTask> local;
  AveragingPlan plan;
};

Task small_network(const TaskModel& model, std::uint32_t items) {
  SmallNetwork small;
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model(model.name);
  spec.set_items(items);
  spec.set_seed(7);
  spec.set_fixed_bits(20);
  spec.set_reproducible(true);
  model.configure(small, spec);
  return *read_task(spec);
}

// A device of an averaged network knows its own history alone, and draws by its index; its private row moves
// as the simulator's does. Every second person has rules of their own.
TEST_P(ADevicesOwnFit, OfAveragedNetworksIsTheSimulators) {
  constexpr std::uint32_t users = 6, items = 40, rounds = 4;
  const Histories histories = some_histories(users, items);
  std::vector<ConsentTerms> kinds(2, {.pi = GetParam().first, .mask = GetParam().second, .rules = {}});
  kinds[1].rules.assign(items, ItemRule::none);
  for (std::uint32_t item = 0; item < items; item += 3) kinds[1].rules[item] = ItemRule::never;
  const auto book =
      std::make_shared<const ConsentBook>(kinds, std::vector<std::uint16_t>{0, 1, 0, 1, 0, 1}, 7);
  const ConsentPolicy policy{.pi = kinds[0].pi, .mask = kinds[0].mask, .people = book};
  for (const TaskModel* model : {&fedmultvae_task, &fedneumf_task}) {
    const SimulatedNetwork network(*model, policy, histories, items);
    ThreadPool pool(2);
    PlainCollector collector(averaging_shape(network.local->parameters()));
    AveragingFederation federation(*network.local, network.plan, pool, collector);
    const RowMatrix& everybodys_own = federation.state().devices.on_device();

    Task task = small_network(*model, items);
    task.networks = &network.toys;
    const auto server = model->server(task);
    ServerState state = server->start();
    EXPECT_EQ(hash_rows(state.shared), hash_rows(federation.state().shared));
    std::vector<RowMatrix> own;
    SumSpace space(task.shape().sum_rows, task.shape().sum_width);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      Aggregator sum(space);
      for (std::uint32_t user = 0; user < users; ++user) {
        const auto history = histories.of(UserIndex{user});
        DeviceFit device(task, DeviceStreams{7, UserIndex{user}}, {history.begin(), history.end()},
                         kinds[user % 2]);
        if (round == 0) own.push_back(device.start().on_device());
        const auto contribution = device.fit(round, state.shared, own[user]);
        ASSERT_TRUE(contribution.ok());
        EXPECT_TRUE(server->check(**contribution).ok());
        ASSERT_TRUE(sum.accept(**contribution).ok());
      }
      state = server->release(round, state, std::move(sum)).value();
      ASSERT_TRUE(federation.run(1).ok());
      EXPECT_EQ(hash_rows(state.shared), hash_rows(federation.state().shared)) << "round " << round;
      EXPECT_EQ(hash_rows(state.memory), hash_rows(federation.state().memory)) << "round " << round;
      for (std::uint32_t user = 0; user < everybodys_own.rows(); ++user)
        EXPECT_TRUE(std::ranges::equal(own[user].values(0), everybodys_own.values(user)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(UnderEveryConsent, ADevicesOwnFit,
                         testing::Values(std::pair{1.0, MaskKind::sticky}, std::pair{0.5, MaskKind::sticky},
                                         std::pair{0.5, MaskKind::redraw}, std::pair{0.5, MaskKind::round},
                                         std::pair{0.0, MaskKind::redraw}));

}  // namespace sotto::sim::device_fit_test
