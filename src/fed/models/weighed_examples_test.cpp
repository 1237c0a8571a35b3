// Classifiers by criteria: what devices tell of their examples, and what is refused of them.
#include <gtest/gtest.h>

#include <deque>

#include "fed/criteria/example_facts.h"
#include "fed/criteria/quality.h"
#include "fed/criteria/weighing_collector.h"
#include "fed/models/testing/small_classifier.h"
#include "fed/models/testing/toy_networks.h"
#include "fed/models/weighed_task.h"
#include "fed/wire/device_fit.h"

namespace sotto::fed::weighed_examples_test {
namespace {

const ToyNetworks toys;
constexpr std::uint32_t people = 7, round_at_hand = 5, bound = 12;

v1::TaskSpec weighed_spec(const std::string& order) {
  v1::TaskSpec spec = classifier_spec();
  v1::Criteria& criteria = *spec.mutable_criteria();
  criteria.set_order(order);
  criteria.set_least_tellers(3);
  if (order.find("size") != order.npos || order.find("DS") != order.npos) criteria.set_size_bound(bound);
  return spec;
}

Task task_of(const v1::TaskSpec& spec) {
  Task task = *read_task(spec);
  task.networks = &toys;
  return task;
}

// Everybody's examples, and who holds which: from 2 on, of ever more classes.
struct World {
  Examples examples;
  Dealt dealt{{}};
  World() {
    examples.height = 2;
    examples.width = 3;
    examples.classes = 4;
    std::vector<Dealt::Hand> hands(people);
    for (std::uint32_t person = 0; person < people; ++person)
      for (std::uint32_t n = 0; n < 2 + 2 * person; ++n) {
        const auto place = static_cast<std::uint32_t>(examples.labels.size());
        hands[person].train.push_back(place);
        examples.labels.push_back(static_cast<std::uint8_t>(n % (1 + person % 4)));
        examples.marks.push_back(n % 3 == person % 3 ? 1 : 0);
        for (std::uint32_t k = 0; k < examples.size(); ++k)
          examples.values.push_back(static_cast<std::uint8_t>(7 * place + k));
      }
    examples.for_training = examples.count();
    dealt = Dealt(hands);
  }
  // What a device has of them; the last person's is not known to be of any quality.
  [[nodiscard]] Examples of(std::uint32_t person) const {
    Examples own = examples;
    own.values.clear(), own.labels.clear(), own.marks.clear();
    for (const std::uint32_t place : dealt.of({person}).train) {
      own.values.insert(own.values.end(), examples.of(place), examples.of(place) + examples.size());
      own.labels.push_back(examples.labels[place]);
      if (person + 1 < people) own.marks.push_back(examples.marks[place]);
    }
    return own;
  }
};

std::optional<std::uint32_t> last_round(std::uint32_t person) {
  return person % 2 == 0 ? std::optional<std::uint32_t>() : person / 2;
}

// The first `keeping` keep their size back.
ConsentTerms terms_of(std::uint32_t person, std::uint32_t keeping) {
  ConsentTerms terms;
  if (person < keeping) terms.criteria.named.emplace("size", false);
  return terms;
}

std::unique_ptr<DeviceFit> device(const World& world, const Task& task, std::uint32_t person,
                                  const ConsentTerms& terms) {
  std::vector<ItemIndex> numbers;
  for (const std::uint32_t place : world.dealt.of({person}).train) numbers.push_back({place});
  DeviceKnowledge known;
  known.examples = std::make_shared<const Examples>(world.of(person));
  known.last_round = last_round(person);
  return std::make_unique<DeviceFit>(task, DeviceStreams{task.plan.seed, UserIndex{person}}, numbers, terms,
                                     std::vector<std::uint16_t>(), known);
}

void add_up(const Contribution& one, std::vector<std::int64_t>& sums) {
  for (std::size_t n = 0; n < one.size(); ++n)
    for (std::size_t k = 0; k < one.width(); ++k) sums[one.row(n) * one.width() + k] += one.values(n)[k];
}

using Sums = std::vector<std::int64_t>;

// All parts of a round; what each came to.
std::vector<Sums> over_the_network(const World& world, const std::string& order, std::uint32_t keeping) {
  Task task = task_of(weighed_spec(order));
  const RowMatrix shared = server_of(task)->start().shared;
  std::deque<std::unique_ptr<DeviceFit>> devices;
  std::deque<Private<RowMatrix>> own;
  for (std::uint32_t person = 0; person < people; ++person) {
    devices.push_back(device(world, task, person, terms_of(person, keeping)));
    own.push_back(devices.back()->start());
  }
  std::vector<Sums> parts;
  for (std::size_t part = 0; part < 4; ++part) {
    Sums& sums = parts.emplace_back(task.part().sum_numbers(), 0);
    const auto server = server_of(task);
    for (std::uint32_t person = 0; person < people; ++person) {
      const auto made = devices[person]->fit(round_at_hand, shared, own[person].on_device());
      EXPECT_TRUE(made.ok()) << made.error().message;
      const Status possible = server->check(**made);
      EXPECT_TRUE(possible.ok()) << possible.error().message;
      add_up(**made, sums);
    }
    if (part == 3) break;
    const PartTotal total{people, sums};
    for (const auto& each : devices) {
      const Status heard = each->hear(total);
      EXPECT_TRUE(heard.ok()) << heard.error().message;
    }
    task.totals.push_back(total);
    EXPECT_TRUE(check_heard(task).ok());
  }
  return parts;
}

// As a training weighs them: ExampleFacts, and what people keep back.
class PeoplesFacts final : public FactsSource {
 public:
  PeoplesFacts(const World& world, std::uint32_t keeping)
      : facts_(world.examples, world.dealt, bound), keeping_(keeping) {
    for (std::uint32_t round = 0; round < round_at_hand; ++round) {
      std::vector<UserIndex> cohort;
      for (std::uint32_t person = 0; person < people; ++person)
        if (last_round(person) == round) cohort.push_back({person});
      facts_.note_round(round, cohort);
    }
  }
  DeviceFacts of(UserIndex person) const override { return facts_.of(person); }
  bool tells(UserIndex person, const char* criterion) const override {
    const std::string_view name = criterion;
    return !(name == "size" && person.value < keeping_) &&
           !(name == quality_criterion.name && person.value + 1 == people);
  }
  bool everybody_tells() const override { return false; }

 private:
  ExampleFacts facts_;
  std::uint32_t keeping_;
};

Sums in_the_simulator(const World& world, const std::string& order, std::uint32_t keeping) {
  v1::TaskSpec spec = weighed_spec(order);
  const CriteriaOptions options = task_of(spec).criteria->options;
  spec.clear_criteria();
  const Task task = task_of(spec);
  const PeoplesFacts facts(world, keeping);
  const SumShape shape{task.shape().sum_rows, task.shape().sum_width};
  PlainCollector sum(shape);
  const ToyClassifier network(world.examples, world.dealt, {.kind = ClassifierKind::dense, .hidden = {3}});
  WeighingCollector collector(
      options, facts,
      {.fixed = task.plan.fixed, .rows = task.shape().rows, .layer_ends = network.layer_ends()},
      [](SumShape small) { return std::make_unique<PlainCollector>(small); }, sum);
  std::vector<UserIndex> cohort;
  for (std::uint32_t person = 0; person < people; ++person) cohort.push_back({person});
  EXPECT_TRUE(collector.begin({round_at_hand, cohort, nullptr}).ok());
  const RowMatrix shared = task.model->server(task)->start().shared;
  for (const UserIndex person : cohort) {
    const auto alone = device(world, task, person.value, {});
    Private<RowMatrix> own = alone->start();
    EXPECT_TRUE(collector.accept(person, **alone->fit(round_at_hand, shared, own.on_device())).ok());
  }
  SumSpace space(shape.rows, shape.width);
  Aggregator total(space);
  EXPECT_TRUE(collector.finish(total).ok());
  Sums sums(task.shape().sum_numbers(), 0);
  std::move(total).release([&](std::uint32_t row, const auto* values) {
    std::copy_n(values, shape.width, sums.data() + row * shape.width);
  });
  return sums;
}

TEST(AWeighedClassifier, GivesWhatTheSimulatorWeighs) {
  const World world;
  for (const char* order : {"size", "size>diversity", "recency>quality>balance", "closeness>size",
                            "layer-closeness>balance", "DS>LD>CB>IS>RC>MW>MWL"})
    for (const std::uint32_t keeping : {0u, 3u, 5u})
      EXPECT_EQ(over_the_network(world, order, keeping).back(), in_the_simulator(world, order, keeping))
          << order << ' ' << keeping;
}

// Of layers a criterion looks at each, and of a whole update at all of it.
TEST(AWeighedClassifier, MeasuresLayersApart) {
  const World world;
  EXPECT_NE(over_the_network(world, "closeness", 0)[1], over_the_network(world, "layer-closeness", 0)[1]);
}

TEST(AWeighedClassifier, TellsOfTheShareThatIsLetOut) {
  const World world;
  const Task task = task_of(weighed_spec("size"));
  const auto told = [&](double pi) {
    const auto one = device(world, task, 4, {.pi = pi, .mask = MaskKind::sticky});
    const RowMatrix shared = server_of(task)->start().shared;
    Private<RowMatrix> own = one->start();
    EXPECT_TRUE(one->fit(0, shared, own.on_device()).ok());
    EXPECT_TRUE(one->hear({people, Sums{people, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}).ok());
    return (*one->fit(0, shared, own.on_device()))->values(0)[0];
  };
  EXPECT_NEAR(told(1.0), value_unit * 10 / bound, 1);
  EXPECT_GT(told(0.5), 0);
  EXPECT_LT(told(0.5), told(1.0));
}

// Before anything is told, and for every criterion.
TEST(AWeighedClassifier, StaysOutWhereNothingIsLetOut) {
  const World world;
  const Task task = task_of(weighed_spec("size"));
  const auto one = device(world, task, 4, {.pi = 1e-9, .mask = MaskKind::redraw});
  Private<RowMatrix> own = one->start();
  const auto made = one->fit(0, server_of(task)->start().shared, own.on_device());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, Code::incompatible);
}

TEST(AWeighedClassifier, RefusesByName) {
  const auto why = [](const v1::TaskSpec& spec) {
    const auto task = read_task(spec);
    return task.ok() ? "" : task.error().message;
  };
  EXPECT_EQ(why(weighed_spec("size>diversity>balance>quality>recency>closeness>layer-closeness")), "");
  EXPECT_NE(why(weighed_spec("trust")).find("speak for itself"), std::string::npos);
  EXPECT_NE(why(weighed_spec("novelty")).find("labelled examples have none"), std::string::npos);
  v1::TaskSpec spec = weighed_spec("quality");
  spec.mutable_criteria()->set_quality("War");
  EXPECT_NE(why(spec).find("examples are marked one by one"), std::string::npos);
  spec = weighed_spec("size");
  spec.mutable_criteria()->clear_size_bound();
  EXPECT_NE(why(spec).find("set size_bound"), std::string::npos);
  // A catalogue of classes has to say nothing more.
  EXPECT_TRUE(check_known(task_of(weighed_spec("diversity>balance>quality")), {}).ok());
}

// Who gives more than the largest weight is refused.
TEST(AWeighedClassifier, CountsNoMoreThanItsWeight) {
  const World world;
  Task task = task_of(weighed_spec("size"));
  const auto sums = over_the_network(world, "size", 0);
  for (std::size_t part = 0; part < 3; ++part) task.totals.push_back({people, sums[part]});
  const auto counting = [&](double weight) {
    Contribution made(task.shape().sum_width);
    ContributionPipeline pipeline({}, task.plan.fixed, made);
    for (std::uint32_t row = 0; row + 1 < task.shape().sum_rows; ++row) (void)pipeline.open_row(row);
    pipeline.open_row(static_cast<std::uint32_t>(task.shape().sum_rows - 1))[0] =
        static_cast<std::int32_t>(weight * (1 << 20));
    return server_of(task)->check(made).ok();
  };
  EXPECT_TRUE(counting(most_weight(task)));
  EXPECT_FALSE(counting(most_weight(task) + 0.01));
  EXPECT_FALSE(counting(-0.01));
}

}  // namespace
}  // namespace sotto::fed::weighed_examples_test
