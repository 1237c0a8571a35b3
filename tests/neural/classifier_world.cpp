#include "tests/neural/classifier_world.h"

#include "data/examples/deal.h"
#include "data/examples/generate_examples.h"
#include "engine/train/neural_module.h"
#include "fed/criteria/example_facts.h"
#include "fed/criteria/weighing_collector.h"
#include "fed/models/testing/secure_spec.h"
#include "privacy/consent.h"
#include "sim/thread_pool.h"

namespace sotto::tests::classifiers {

const DealtExamples& world() {
  static const DealtExamples dealt = [] {
    Examples pictures = generate_pictures({.training = 240, .test = 48, .side = side, .seed = 3}).value();
    for (std::size_t n = 0; n < pictures.count(); ++n) pictures.marks.push_back(n % 7 < 1 + n % 3 ? 1 : 0);
    auto examples = std::make_shared<const Examples>(std::move(pictures));
    Dealt hands = deal_shards(*examples, devices, 2, {.seed = 3}).value();
    return DealtExamples{std::move(examples), std::move(hands)};
  }();
  return dealt;
}

ClassifierOptions network_of(const Case& one) {
  return {.kind = one.kind, .filter = 3, .channels = {3, 4}, .hidden = {6}};
}

namespace {

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

}  // namespace

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
  if (one.secure) sum_securely(spec);
  if (one.criteria[0] != '\0') {
    spec.mutable_criteria()->set_order(one.criteria);
    if (std::string_view(one.criteria).find("DS") != std::string_view::npos)
      spec.mutable_criteria()->set_size_bound(size_bound);
    spec.mutable_criteria()->set_least_tellers(4);
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

FederationState simulated(const Case& one, const Dealt& hands) {
  const NeuralModule& module = **open_neural_module();
  const auto task = module.start_classifier(*world().examples, hands, network_of(one)).value();
  AveragingPlan plan;
  plan.seed = seed;
  plan.cohort = one.cohort == 0 ? 1.0 : double{1} * one.cohort / devices;
  plan.local = {.epochs = 2, .batch = 4, .rate = classifier_rates.device, .proximal = 0.01f};
  if (one.server == std::string_view("adam"))
    plan.server = {.step = ServerStep::adam, .rate = classifier_rates.adam};
  plan.fixed = FixedPoint{20};
  ThreadPool pool(2);
  PlainCollector sum(averaging_shape(task->parameters()));
  Collector* first = &sum;
  // As `sotto train` weighs.
  ExampleFacts facts(*world().examples, hands, size_bound);
  std::optional<WeighingCollector> weighing;
  if (one.criteria[0] != '\0') {
    CriteriaOptions options;
    options.order = parse_order(one.criteria).value();
    weighing.emplace(
        options, facts,
        UpdateExtent{plan.fixed, averaging_shape(task->parameters()).rows - 1, task->layer_ends()},
        [](SumShape shape) { return std::make_unique<PlainCollector>(shape); }, sum);
    first = &*weighing;
  }
  AveragingFederation federation(*task, plan, pool, *first);
  CohortSelector selector(able_devices(*task), federation.cohort_size(), seed);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto run = federation.run(1);
    EXPECT_TRUE(run.ok()) << run.error().message;
    facts.note_round(round, selector.select(round));
  }
  return std::move(federation).take();
}

FederationState simulated(const Case& one) { return simulated(one, shared_by(one)); }

FleetOptions fleet_of(const Case& one, const NetworkTasks& networks) {
  FleetOptions options;
  options.devices = devices;
  options.workers = 4;
  options.reproducible = true;
  options.policy.pi = one.pi;
  options.policy.mask = MaskKind::sticky;
  if (one.criteria[0] != '\0') options.policy.criteria[other_criteria] = true;
  options.seconds = 120.0;
  options.networks = &networks;
  options.collection = "digits";
  return options;
}

}  // namespace sotto::tests::classifiers
