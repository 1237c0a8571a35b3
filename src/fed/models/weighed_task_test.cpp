#include "fed/models/weighed_task.h"

#include <gtest/gtest.h>

#include <deque>

#include "fed/criteria/history_facts.h"
#include "fed/criteria/weighing_collector.h"
#include "fed/models/testing/toy_networks.h"
#include "fed/models/testing/weighed_spec.h"
#include "fed/wire/device_fit.h"
#include "privacy/number_rows.h"

namespace sotto::fed::weighed_task_test {
namespace {

using weighed::bound, weighed::categories, weighed::items, weighed::seed, weighed::weighed_spec;

// Seven people; `keeps` names a criterion that the first so many keep back.
struct People {
  explicit People(std::uint32_t keeping = 0, const char* keeps = "size") {
    for (std::uint32_t n = 0; n < 7; ++n) {
      std::vector<ItemIndex>& own = histories.emplace_back();
      for (std::uint32_t item = n % 3; item < items; item += 2 + n % 5) own.push_back(ItemIndex{item});
      ConsentTerms& terms = consent.emplace_back();
      if (n < keeping) terms.criteria.named.emplace(keeps, false);
      last.push_back(n % 2 == 0 ? std::optional<std::uint32_t>() : std::optional<std::uint32_t>(n / 2));
    }
  }
  [[nodiscard]] std::size_t count() const { return histories.size(); }
  [[nodiscard]] DeviceKnowledge known(std::size_t n) const {
    DeviceKnowledge all = usual_knowledge(items, histories[n]);
    all.categories = categories;
    all.last_round = last[n];
    return all;
  }
  [[nodiscard]] std::unique_ptr<DeviceFit> device(const Task& task, std::uint32_t n) const {
    return std::make_unique<DeviceFit>(task, DeviceStreams{seed, UserIndex{n}}, histories[n], consent[n],
                                       std::vector<std::uint16_t>(), known(n));
  }
  std::vector<std::vector<ItemIndex>> histories;
  std::vector<ConsentTerms> consent;
  std::vector<std::optional<std::uint32_t>> last;  // the round each answered before
};
constexpr std::uint32_t round_at_hand = 5;

const ToyNetworks networks;

Task weighed_task(const TaskModel& model, const char* order, bool secure = false) {
  Task task = *read_task(weighed_spec(model, order, secure));
  task.networks = &networks;
  return task;
}

void add_up(const Contribution& one, std::size_t width, std::vector<std::int64_t>& sums) {
  for (std::size_t n = 0; n < one.size(); ++n)
    for (std::size_t k = 0; k < width; ++k) sums[one.row(n) * width + k] += one.values(n)[k];
}

// A round as it goes over a network, with what all are told.
struct Round {
  Round(Task its, const People& people) : task(std::move(its)), shared(server_of(task)->start().shared) {
    for (std::uint32_t n = 0; n < people.count(); ++n) {
      devices.push_back(people.device(task, n));
      own.push_back(devices.back()->start());
    }
  }
  // What everybody gives to the part at hand.
  std::vector<Contribution> give() {
    std::vector<Contribution> all;
    const auto server = server_of(task);
    for (std::size_t n = 0; n < devices.size(); ++n) {
      const auto made = devices[n]->fit(round_at_hand, shared, own[n].on_device());
      EXPECT_TRUE(made.ok()) << made.error().message;
      all.push_back(**made);
      const Status possible = server->check(all.back());
      EXPECT_TRUE(possible.ok()) << possible.error().message;
    }
    return all;
  }
  PartTotal total_of(const std::vector<Contribution>& all) const {
    PartTotal total{static_cast<std::uint32_t>(all.size()),
                    std::vector<std::int64_t>(task.part().sum_numbers(), 0)};
    for (const Contribution& one : all) add_up(one, task.part().sum_width, total.numbers);
    EXPECT_TRUE(told_of(task.part(), total.devices, total.numbers).ok());
    return total;
  }
  void tell(const PartTotal& total) {
    for (const auto& device : devices) {
      const Status heard = device->hear(total);
      EXPECT_TRUE(heard.ok()) << heard.error().message;
    }
    task.totals.push_back(total);
    EXPECT_TRUE(check_heard(task).ok());
  }
  void go_on(std::size_t parts = 1) {
    for (; parts > 0; --parts) tell(total_of(give()));
  }
  Task task;
  RowMatrix shared;
  std::deque<std::unique_ptr<DeviceFit>> devices;
  std::deque<Private<RowMatrix>> own;
};

// The end of a chain that keeps what comes.
class Kept final : public Collector {
 public:
  Status begin(const RoundPlace&) override { return Done{}; }
  Status accept(UserIndex, Contribution& contribution) override {
    return all.push_back(contribution), Done{};
  }
  Result<Traffic> finish(Aggregator&) override { return Traffic{}; }
  std::vector<Contribution> all;
};

// As the simulator weighs what devices without criteria give.
std::vector<Contribution> simulated(const TaskModel& model, const char* order, const People& people) {
  v1::TaskSpec spec = weighed_spec(model, order);
  const Task weighed = *read_task(spec);
  spec.clear_criteria();
  Task task = *read_task(spec);
  task.networks = &networks;
  std::vector<std::uint64_t> ends{0};
  std::vector<ItemIndex> all;
  std::vector<std::uint16_t> kinds;
  for (std::size_t n = 0; n < people.count(); ++n) {
    all.insert(all.end(), people.histories[n].begin(), people.histories[n].end());
    ends.push_back(all.size());
    kinds.push_back(static_cast<std::uint16_t>(n));
  }
  HistoryFactsOptions options{.most_records = bound, .classes = ItemClasses(categories)};
  for (const std::string& each : categories) options.marked.push_back(each.ends_with("War") ? 1 : 0);
  HistoryFacts facts(Histories(ends, all), items, options,
                     std::make_shared<const ConsentBook>(people.consent, kinds));
  std::vector<UserIndex> cohort;
  for (std::uint32_t r = 0; r < round_at_hand; ++r) {
    cohort.clear();
    for (std::uint32_t n = 0; n < people.count(); ++n)
      if (people.last[n] == r) cohort.push_back({n});
    facts.note_round(r, cohort);
  }
  cohort.clear();
  for (std::uint32_t n = 0; n < people.count(); ++n) cohort.push_back({n});
  const std::size_t rows = model.weighable == Weighable::mean ? task.shape().rows : SIZE_MAX;
  Kept kept;
  WeighingCollector collector(
      weighed.criteria->options, facts, {.fixed = task.plan.fixed, .rows = rows},
      [](SumShape shape) { return std::make_unique<PlainCollector>(shape); }, kept);
  EXPECT_TRUE(collector.begin({round_at_hand, cohort, nullptr}).ok());
  Round round(task, people);
  std::vector<Contribution> given = round.give();
  for (std::uint32_t n = 0; n < people.count(); ++n) EXPECT_TRUE(collector.accept({n}, given[n]).ok());
  SumSpace space(task.shape().sum_rows, task.shape().sum_width);
  Aggregator total(space);
  EXPECT_TRUE(collector.finish(total).ok());
  return kept.all;
}

// Of those that learn from histories.
std::vector<const TaskModel*> weighable_models() {
  std::vector<const TaskModel*> models;
  for (const TaskModel* model : task_models)
    if (model->weighable != Weighable::no && model->examples == nullptr) models.push_back(model);
  return models;
}

class AWeighedTask : public testing::TestWithParam<const TaskModel*> {};

TEST_P(AWeighedTask, GivesWhatTheSimulatorWeighs) {
  const bool steps = GetParam()->weighable != Weighable::sums;
  for (const char* order : {"size", "size>diversity", "recency>quality>balance", "closeness>size"}) {
    if (!steps && std::string(order).find("closeness") != std::string::npos) continue;
    for (const std::uint32_t keeping : {0u, 3u}) {
      const People people(keeping);
      Round round(weighed_task(*GetParam(), order), people);
      round.go_on(3);
      const std::vector<Contribution> all = round.give(), same = simulated(*GetParam(), order, people);
      ASSERT_EQ(all.size(), same.size());
      std::vector<std::int64_t> sums(round.task.shape().sum_numbers(), 0), others = sums;
      for (std::size_t n = 0; n < all.size(); ++n) {
        add_up(all[n], round.task.shape().sum_width, sums);
        add_up(same[n], round.task.shape().sum_width, others);
        ASSERT_EQ(sums, others) << GetParam()->name << ' ' << order << ' ' << n;
      }
    }
  }
}

// Who withholds counts as the mean of the others, and where all do nobody counts differently.
TEST_P(AWeighedTask, IsAsWithoutCriteriaWhereTooFewTell) {
  const People people(5);  // two of seven tell
  Round round(weighed_task(*GetParam(), "size"), people);
  round.go_on(2);
  EXPECT_EQ(round.task.totals[1].numbers, std::vector<std::int64_t>(numbers_a_row, 0)) << "nobody said more";
  round.go_on();
  v1::TaskSpec spec = weighed_spec(*GetParam(), "size");
  spec.clear_criteria();
  Task alike = *read_task(spec);
  alike.networks = &networks;
  const std::vector<Contribution> all = round.give(), same = Round(alike, people).give();
  for (std::size_t n = 0; n < all.size(); ++n) {
    ASSERT_EQ(all[n].size(), same[n].size());
    for (std::size_t k = 0; k < all[n].size(); ++k)
      EXPECT_TRUE(std::equal(all[n].values(k), all[n].values(k) + all[n].width(), same[n].values(k)));
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachModel, AWeighedTask, testing::ValuesIn(weighable_models()),
                         [](const auto& each) { return std::string(each.param->name); });

TEST(WeighedTasks, SayInWordsWhatIsTold) {
  const People people(1);
  Round round(weighed_task(fpl_task, "size>diversity"), people);
  const auto words = [&](std::size_t n) { return round.devices[n]->told(); };
  for (std::size_t part = 0; part < 4; ++part) {
    const std::vector<Contribution> all = round.give();
    EXPECT_EQ(words(0), part == 1 ? "told diversity" : "") << part;
    EXPECT_EQ(words(1), part == 1 ? "told size and diversity" : "") << part;
    EXPECT_EQ(round.devices[1]->sent().empty(), part < 3) << "items are in what is learned from them alone";
    if (part < 3) round.tell(round.total_of(all));
  }
  EXPECT_EQ(round.task.parts(), 4u);
}

// What a criterion that is kept back does not change: the first person's history grows.
TEST(WeighedTasks, LetNoNumberOutThatIsKeptBack) {
  const auto given = [](std::uint32_t keeping, std::uint32_t more) {
    People people(keeping);
    for (std::uint32_t item = items - more; item < items; ++item)
      people.histories[0].push_back(ItemIndex{item});
    std::ranges::sort(people.histories[0]);
    people.histories[0].erase(std::ranges::unique(people.histories[0]).begin(), people.histories[0].end());
    Round round(weighed_task(fpl_task, "size"), people);
    std::vector<std::int64_t> all;
    for (int part = 0; part < 3; ++part) {
      const std::vector<Contribution> parts = round.give();
      std::vector<std::int64_t> own(round.task.part().sum_numbers(), 0);
      add_up(parts[0], numbers_a_row, own);
      all.insert(all.end(), own.begin(), own.end());
      round.tell(round.total_of(parts));
    }
    return all;
  };
  EXPECT_EQ(given(1, 0), given(1, 7));
  EXPECT_NE(given(0, 0), given(0, 7));
}

// Who is in one sum alone shows in the difference where the next has the same again: whether they tell, and
// the weight of who counts in the main sum.
TEST(WeighedTasks, SayWhatIsToldAgain) {
  for (const TaskModel* model : weighable_models()) {
    const TaskShape shape = weighed_task(*model, "size").shape();
    ASSERT_EQ(shape.before.size(), 3u);
    EXPECT_TRUE(shape.before[0].told_again);
    EXPECT_FALSE(shape.before[1].told_again);
    EXPECT_EQ(shape.before[2].told_again, model != &fpl_task && model != &fcf_task && model != &kgflex_task);
    EXPECT_EQ(shape.limit, fixed_limit);
  }
}

// Somebody says these numbers, from the first on.
Contribution said(const std::vector<std::int32_t>& numbers) {
  Contribution made(numbers_a_row);
  put_numbers(numbers, made);
  return made;
}

TEST(WeighedTasks, RefuseWhatNoDeviceCouldSay) {
  const People people(5);  // too few tell size
  Round round(weighed_task(fpl_task, "diversity>size"), people);
  const auto refusal = [&](const std::vector<std::int32_t>& numbers) {
    const Status possible = server_of(round.task)->check(said(numbers));
    return possible.ok() ? std::string() : possible.error().message;
  };
  EXPECT_EQ(refusal({1, 0}), "");
  EXPECT_NE(refusal({2, 0}), "");
  EXPECT_NE(refusal({-1, 0}), "");
  EXPECT_NE(refusal({1, 0, 1}), "") << "there are two criteria";
  round.go_on();
  EXPECT_EQ(refusal({value_unit, 1, 0, 0}), "");
  EXPECT_EQ(refusal({0, 0, 0, 0}), "");
  EXPECT_NE(refusal({value_unit + 1, 1, 0, 0}).find("the criterion diversity is below 0, above 1"),
            std::string::npos);
  EXPECT_NE(refusal({-1, 1, 0, 0}), "");
  EXPECT_NE(refusal({1, 0, 0, 0}), "") << "it is not told";
  EXPECT_NE(refusal({1, 2, 0, 0}), "");
  EXPECT_NE(refusal({1, 1, 1, 1}).find("which too few told"), std::string::npos);
  round.go_on();
  EXPECT_EQ(refusal({fixed_limit}), "");
  EXPECT_NE(refusal({fixed_limit + 1}), "");
  EXPECT_NE(refusal({-1}), "");
  EXPECT_NE(refusal({1, 1}), "");
}

TEST(WeighedTasks, RefuseTotalsThatDoNotFollow) {
  const People people;
  Round round(weighed_task(fpl_task, "size"), people);
  const auto heard = [&](PartTotal total, std::int64_t first, std::int64_t second,
                         std::uint32_t devices = 7) {
    total.devices = devices;
    total.numbers[0] = first, total.numbers[1] = second;
    Task task = round.task;
    task.totals.push_back(total);
    return check_heard(task).ok();
  };
  const PartTotal zeros{7, std::vector<std::int64_t>(numbers_a_row, 0)};
  EXPECT_TRUE(heard(zeros, 6, 0));
  EXPECT_FALSE(heard(zeros, 1, 0, 1)) << "criteria compare devices";
  PartTotal six = zeros;
  six.numbers[0] = 6;
  round.task.totals.push_back(six);
  EXPECT_TRUE(heard(zeros, 6 * value_unit, 6));
  EXPECT_FALSE(heard(zeros, 6 * value_unit + 1, 6)) << "above 1";
  EXPECT_FALSE(heard(zeros, value_unit, 7)) << "more than told";
  EXPECT_FALSE(heard(zeros, value_unit, 5)) << "fewer, and nobody left";
  EXPECT_TRUE(heard(zeros, value_unit, 5, 6));
  EXPECT_FALSE(heard(zeros, value_unit, 6, 8)) << "nobody joins";
  EXPECT_FALSE(heard(zeros, 0, 6)) << "nobody has anything";
  PartTotal values = zeros;
  values.numbers[0] = value_unit, values.numbers[1] = 6;
  round.task.totals.push_back(values);
  EXPECT_TRUE(heard(zeros, 1, 0));
  EXPECT_FALSE(heard(zeros, 0, 0)) << "nobody counts";
}

}  // namespace
}  // namespace sotto::fed::weighed_task_test
