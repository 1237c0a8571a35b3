// Training over the wire gives the simulator's model, bit for bit: the same plan, seed and cohorts, with
// devices in one process or in several, with plain sums and with secure ones.
#include "sim/federation.h"

#include <gtest/gtest.h>

#include "base/row_hash.h"
#include "fed/models/pair_task.h"
#include "fed/models/task_models.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/secure/pair_cost.h"
#include "host/fleet/fleet_draws.h"
#include "model/central/ease.h"
#include "model/central/pair_knn.h"
#include "model/central/rp3beta.h"
#include "sim/history_federation.h"
#include "sim/pair_round.h"
#include "sim/private_gram.h"
#include "sim/thread_pool.h"
#include "tests/e2e/loopback.h"
#include "tests/e2e/trained_world.h"
#include "tests/e2e/weighed_training.h"

namespace sotto::tests::e2e {
namespace {

// The rows that one sum of pairs is made into; `kept` are the popular items, where it is of these alone.
std::string made_of_pairs(const Task& task, const PairSum& pairs, const KeptItems* kept = nullptr) {
  SerialExecutor here;
  RowMatrix rows(task.shape().rows, task.shape().width);
  if (task.model == &fedease_task && kept != nullptr) {
    const auto ease = Ease::solve(pairs, Histories({0}, {}), {}, here).value();
    std::vector<float> weights(task.items);
    for (std::size_t n = 0; n < rows.rows(); ++n) {
      EXPECT_TRUE(ease->similar(ItemIndex{kept->items()[n]}, weights).ok());
      rows.row(n)[0] = static_cast<float>(kept->items()[n]);
      for (std::size_t k = 0; k < rows.rows(); ++k) rows.row(n)[1 + k] = weights[kept->items()[k]];
    }
  } else if (task.model == &fedease_task) {
    const auto ease = Ease::solve(pairs, Histories({0}, {}), {}, here).value();
    for (std::uint32_t item = 0; item < task.items; ++item)
      EXPECT_TRUE(ease->similar(ItemIndex{item}, rows.values(item)).ok());
  } else if (task.model == &feditemknn_task) {
    put_weights(fit_pair_knn(pairs, {}, here).value(), WeightsBy::target, rows);
  } else {
    put_weights(fit_rp3beta(pairs, {}, here).value(), WeightsBy::source, rows);
  }
  return hash_rows(rows);
}

// As --sum secure --pair-items makes it.
std::string simulated_popular(const Case& one, const Task& task, const Plan& plan, const Split& split) {
  const PersonWeight weight(one.model == &fedrp3beta_task ? 0.5f : 0.0f);
  SerialExecutor here;
  SumOptions sum;
  sum.kind = SumKind::secure;
  sum.assumed = {.corrupt = 0.05, .dropped = 0.1, .leak = 1e-6, .abort = 1e-3, .crowd = 4};
  SecureCollector counting(sum_of_people(sum), {rows_for(task.items), numbers_a_row}, plan.seed, here);
  const auto people = collect_popularity(split.train, task.items, plan, counting, 1);
  EXPECT_TRUE(people.ok());
  const KeptItems kept = KeptItems::most_popular(people->sums, one.pair_items);
  const PairLayout layout(one.pair_items);
  SecureCollector summing(sum_of_pairs(sum, weight), {layout.rows(), PairLayout::width}, plan.seed, here);
  auto numbers = collect_kept_pairs(split.train, kept, plan, weight, summing);
  EXPECT_TRUE(numbers.ok());
  const auto pairs = counted_pairs(layout, std::move(numbers->sums), weight);
  EXPECT_TRUE(pairs.ok());
  return made_of_pairs(task, pairs->renumbered(kept.items(), task.items), &kept);
}

// What the simulator makes of it.
std::string simulated(const Case& one, const Split& split) {
  const Task task = *read_task(task_for(one, split).spec);
  Plan plan = task.plan;
  plan.consent = {.pi = one.pi, .mask = one.mask};
  const auto users = static_cast<std::uint32_t>(split.train.users());
  const Schedule schedule{.cohort = one.cohort == 0 ? users : one.cohort,
                          .triples = plan.triples.value_or(0),
                          .rounds_per_epoch = 1,
                          .rounds = rounds};
  ThreadPool pool(1);
  PlainCollector sum({task.shape().sum_rows, task.shape().sum_width});
  const std::unique_ptr<Weighing> weighing = weighing_of(one, plan, schedule, split, pool, sum);
  if (one.pair_items > 0) return simulated_popular(one, task, plan, split);
  if (one.model->added != nullptr) {
    const PersonWeight weight(one.model == &fedrp3beta_task ? 0.5f : 0.0f);
    const auto round = gather_pairs(split.train, task.items, plan, weight, pool);
    EXPECT_TRUE(round.ok());
    return made_of_pairs(task, round->sum);
  }
  if (one.model == &fedals_task) {
    return simulated_history(FedAls(options_of<AlsOptions>(task), task.items), plan, schedule, split, pool,
                             weighing.get());
  }
  if (one.model == &fcf_task) {
    const FcfOptions options{.als = {.factors = 8, .reg_power = 0.0f, .seed = plan.seed}};
    const Fcf model(options, task.items, static_cast<double>(schedule.cohort) / users);
    return simulated_history(model, plan, schedule, split, pool, weighing.get());
  }
  if (one.model == &kgflex_task) return simulated_kgflex(task, plan, schedule, split, weighing.get());
  if (one.model == &fedcars_task)
    return simulated_fedcars(task, plan, schedule, split, policy_of(one), weighing.get());
  FplFederation federation({options_of<FplOptions>(task), task.items, plan.seed}, plan, schedule, split.train,
                           pool);
  if (weighing != nullptr) federation.collect_with(*weighing);
  EXPECT_TRUE(federation.run(rounds).ok());
  return hash_rows(federation.state().shared);
}

class TrainingOverTheWire : public testing::TestWithParam<Case> {};

TEST_P(TrainingOverTheWire, GivesTheSimulatorsModel) {
  const Prepared prepared = world(GetParam().model);
  const Split& split = prepared.split;
  ASSERT_EQ(split.users_without_training(), 0u) << "each user's index is a device's";
  const TaskConfig config = task_for(GetParam(), split);
  Loopback loopback(config);
  FleetOptions options;
  options.devices = static_cast<std::uint32_t>(split.train.users());
  options.workers = 8;
  options.reproducible = true;
  options.policy = policy_of(GetParam());
  options.exchanges = config.rules.rounds * config.rules.goal;
  options.seconds = 60.0;
  const auto devices = enrol_fleet(options, loopback.tokens(options.devices), loopback.connect());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(split, options, *devices, loopback.connect(), {.stop = stop});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->of(Ending::answered), options.exchanges);
  EXPECT_TRUE(report->refusals.empty());
  EXPECT_EQ(loopback.versions(), config.rules.rounds + 1);
  EXPECT_EQ(loopback.model_hash(), simulated(GetParam(), split));
}

INSTANTIATE_TEST_SUITE_P(
    InEveryWay, TrainingOverTheWire,
    testing::Values(Case{"Everybody"}, Case{"HalfSticky", 0.5, MaskKind::sticky},
                    Case{"HalfRedrawn", 0.5, MaskKind::redraw}, Case{"Drawn", 1.0, MaskKind::sticky, 20},
                    Case{"DrawnHalf", 0.5, MaskKind::redraw, 20},
                    Case{"Secure", 1.0, MaskKind::sticky, 0, true},
                    Case{"SecureDrawnHalf", 0.5, MaskKind::sticky, 40, true},
                    Case{"Als", 1.0, MaskKind::sticky, 0, false, &fedals_task},
                    Case{"AlsHalfSticky", 0.5, MaskKind::sticky, 0, false, &fedals_task},
                    Case{"AlsHalfRedrawn", 0.5, MaskKind::redraw, 0, false, &fedals_task},
                    Case{"AlsSecure", 1.0, MaskKind::sticky, 0, true, &fedals_task},
                    Case{"AlsSecureHalf", 0.5, MaskKind::sticky, 0, true, &fedals_task},
                    Case{"Fcf", 1.0, MaskKind::sticky, 0, false, &fcf_task},
                    Case{"FcfHalfRedrawn", 0.5, MaskKind::redraw, 0, false, &fcf_task},
                    Case{"FcfDrawn", 1.0, MaskKind::sticky, 20, false, &fcf_task},
                    Case{"FcfSecureHalf", 0.5, MaskKind::sticky, 0, true, &fcf_task},
                    Case{"Ease", 1.0, MaskKind::sticky, 0, false, &fedease_task},
                    Case{"EaseHalfRedrawn", 0.5, MaskKind::redraw, 0, false, &fedease_task},
                    Case{"EaseSecureHalf", 0.5, MaskKind::sticky, 0, true, &fedease_task},
                    Case{"PopularEase", 1.0, MaskKind::sticky, 0, false, &fedease_task, 20},
                    Case{"PopularEaseSecure", 1.0, MaskKind::sticky, 0, true, &fedease_task, 20},
                    Case{"PopularEaseSecureHalf", 0.5, MaskKind::sticky, 0, true, &fedease_task, 33},
                    Case{"PopularKnnSecure", 1.0, MaskKind::sticky, 0, true, &feditemknn_task, 20},
                    Case{"PopularRp3HalfRedrawn", 0.5, MaskKind::redraw, 0, false, &fedrp3beta_task, 20},
                    Case{"PopularRp3Secure", 1.0, MaskKind::sticky, 0, true, &fedrp3beta_task, 20},
                    Case{"Knn", 1.0, MaskKind::sticky, 0, false, &feditemknn_task},
                    Case{"KnnSecureHalf", 0.5, MaskKind::sticky, 0, true, &feditemknn_task},
                    Case{"Rp3HalfSticky", 0.5, MaskKind::sticky, 0, false, &fedrp3beta_task},
                    Case{"Rp3Secure", 1.0, MaskKind::sticky, 0, true, &fedrp3beta_task},
                    Case{"Kgflex", 1.0, MaskKind::sticky, 0, false, &kgflex_task},
                    Case{"KgflexHalfRedrawn", 0.5, MaskKind::redraw, 0, false, &kgflex_task},
                    Case{"KgflexDrawn", 1.0, MaskKind::sticky, 20, false, &kgflex_task},
                    Case{"KgflexSecureHalf", 0.5, MaskKind::sticky, 0, true, &kgflex_task},
                    Case{"Fedcars", 1.0, MaskKind::sticky, 0, false, &fedcars_task},
                    Case{"FedcarsHalfRedrawn", 0.5, MaskKind::redraw, 0, false, &fedcars_task},
                    Case{"FedcarsDrawn", 1.0, MaskKind::sticky, 20, false, &fedcars_task},
                    Case{"FedcarsSecureHalf", 0.5, MaskKind::sticky, 0, true, &fedcars_task},
                    weighed("Weighed", "size>diversity", &fpl_task),
                    weighed("WeighedClose", "closeness>size", &fpl_task, 20),
                    weighed("WeighedSecure", "diversity>size", &fpl_task, 0, true),
                    weighed("WeighedRecencySecure", "recency>closeness", &fpl_task, 40, true),
                    weighed("AlsWeighed", "diversity>size", &fedals_task),
                    weighed("AlsWeighedSecure", "size", &fedals_task, 0, true),
                    weighed("FcfWeighed", "recency>size", &fcf_task, 20),
                    weighed("FcfWeighedSecure", "closeness", &fcf_task, 0, true),
                    weighed("KgflexWeighed", "recency>closeness", &kgflex_task, 20),
                    weighed("KgflexWeighedSecure", "size>diversity", &kgflex_task, 0, true),
                    weighed("FedcarsWeighed", "recency>size", &fedcars_task, 20),
                    weighed("FedcarsWeighedSecure", "size>diversity", &fedcars_task, 0, true)),
    [](const auto& each) { return std::string(each.param.name); });

// And the command's: the same data, seed, factors and epochs.
TEST(TrainingAls, InSimulationByTheCommandIsTheTasksModel) {
  const auto trained = workshop().sotto({"train", "--data", "world/interactions.tsv", "--model", "fedals",
                                         "--factors", "8", "--lambda", "0.5", "--confidence", "4", "--epochs",
                                         std::to_string(rounds), "--seed", "11", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Case als{"", 1.0, MaskKind::sticky, 0, false, &fedals_task};
  EXPECT_EQ(trained.json()["model_hash"].get<std::string>(), simulated(als, world().split)) << trained.out;
}

// Two processes play the halves of the devices, each over its own connections.
TEST(SeveralFleets, GiveTheSimulatorsModelTogether) {
  const Case half{"", 0.5, MaskKind::redraw, 0};
  const Prepared prepared = world();
  const Split& split = prepared.split;
  const TaskConfig config = task_for(half, split);
  Loopback loopback(config);
  const auto users = static_cast<std::uint32_t>(split.train.users());
  std::string tokens;
  for (const std::string& token : loopback.tokens(users)) tokens += token + "\n";
  workshop().put("tokens.txt", tokens);
  workshop().put("ca.pem", loopback.ca_pem());
  const cli::Words common{"fleet",          "--server", loopback.address(),
                          "--ca",           "ca.pem",   "--tokens",
                          "tokens.txt",     "--data",   "world/interactions.tsv",
                          "--reproducible", "--pi",     "0.5",
                          "--mask",         "redraw",   "--json",
                          "--quiet"};
  const auto enrolled = workshop().sotto(cli::joined(common, {"--enrol-only"}));
  ASSERT_EQ(enrolled.code, 0) << enrolled.err;
  const std::string first = std::to_string(users / 3), rest = std::to_string(users - users / 3);
  const std::string left = std::to_string(rounds * (users / 3)),
                    right = std::to_string(rounds * (users - users / 3));
  const pid_t one = workshop().start(cli::joined(common, {"--devices", first, "--exchanges", left}));
  const pid_t two =
      workshop().start(cli::joined(common, {"--first", first, "--devices", rest, "--exchanges", right}));
  for (const pid_t process : {one, two}) {
    const cli::Outcome outcome = workshop().finish(process);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.json()["refusals"].empty()) << outcome.out;
  }
  EXPECT_EQ(loopback.model_hash(), simulated(half, split));
}

bool is_hostile(const FleetOptions& options, std::uint32_t user) {
  return FleetDraws(options.seed, "sotto fleet hostile", 0, user).chance(options.byzantine);
}

// What some do wrong changes nothing for the others: the round commits with them, and each refusal is named.
class AFleetWithHostileDevicesOf : public testing::TestWithParam<const TaskModel*> {};

TEST_P(AFleetWithHostileDevicesOf, LeavesTheOthersRoundsAlone) {
  const Prepared prepared = world(GetParam());
  const Split& split = prepared.split;
  TaskConfig config = task_for({"", 1.0, MaskKind::sticky, 0, false, GetParam()}, split);
  config.rules.goal = 20;
  config.rules.quorum = 5;
  config.rules.over_selection = 2.0;
  config.rules.gather_ms = 500;
  config.rules.round_ms = 2'000;
  config.rules.rounds = 0;
  Loopback loopback(config);
  FleetOptions options;
  options.devices = static_cast<std::uint32_t>(split.train.users());
  options.workers = 8;
  options.reproducible = true;
  options.byzantine = 0.3;
  options.dropout = 0.1;
  options.churn = 0.05;
  options.delay_ms = 3;
  options.seconds = 3.0;
  const auto devices = enrol_fleet(options, loopback.tokens(options.devices), loopback.connect());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(split, options, *devices, loopback.connect(), {.stop = stop});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GE(loopback.versions(), 3u);
  EXPECT_TRUE(report->refusals.contains(v1::REFUSAL_BAD_SIGNATURE));
  EXPECT_TRUE(report->refusals.contains(v1::REFUSAL_BAD_MESSAGE));
  EXPECT_GT(report->silent, 0u);
  EXPECT_FALSE(report->refusals.contains(v1::REFUSAL_INTERNAL));
  // Who lied within a contribution is named, and nobody else.
  std::size_t named = 0;
  for (const nlohmann::json& one : loopback.ask("devices", {{"most", 100}})) {
    if (one.value("refused", 0) == 0) continue;
    ++named;
    EXPECT_TRUE(is_hostile(options, one["index"].get<std::uint32_t>())) << one.dump();
  }
  EXPECT_GT(named, 0u);
}

INSTANTIATE_TEST_SUITE_P(EachModel, AFleetWithHostileDevicesOf, testing::ValuesIn(models_without_networks()),
                         [](const auto& each) { return std::string(each.param->name); });

// In secure sums too: those who lie in them are found out and kept out, and rounds commit.
TEST(AFleetWithHostileDevices, LeavesTheOthersSecureRoundsAlone) {
  const Prepared prepared = world();
  const Split& split = prepared.split;
  TaskConfig config = task_for({"", 1.0, MaskKind::sticky, 0, true}, split);
  config.rules.goal = 16;
  config.rules.quorum = 5;
  config.rules.over_selection = 1.25;
  config.rules.gather_ms = 200;
  config.rules.phase_ms = 300;
  config.rules.round_ms = 3'000;
  config.rules.rounds = 0;
  Loopback loopback(config);
  FleetOptions options;
  options.devices = 24;
  options.workers = 8;
  options.reproducible = true;
  options.byzantine = 0.15;
  options.seconds = 60.0;  // at most: it ends when both have been seen
  const auto devices = enrol_fleet(options, loopback.tokens(options.devices), loopback.connect());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const auto hostile_kept_out = [&] {
    const auto all = loopback.ask("devices", {{"most", 100}});
    return std::count_if(all.begin(), all.end(), [&](const nlohmann::json& one) {
      return one.contains("secure_sums") && one["secure_sums"]["kept_out"].get<bool>() &&
             is_hostile(options, one["index"].get<std::uint32_t>());
    });
  };
  std::atomic<bool> stop = false;
  std::thread watch([&] {
    while (!stop && (loopback.versions() < 4 || hostile_kept_out() == 0))
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  const auto report = run_fleet(split, options, *devices, loopback.connect(), {.stop = stop});
  stop = true;
  watch.join();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GE(loopback.versions(), 4u);
  EXPECT_GT(hostile_kept_out(), 0);
  EXPECT_FALSE(report->refusals.contains(v1::REFUSAL_INTERNAL));
}

}  // namespace
}  // namespace sotto::tests::e2e
