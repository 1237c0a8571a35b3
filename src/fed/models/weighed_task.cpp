#include "fed/models/weighed_task.h"

#include <fmt/core.h>

#include <algorithm>

#include "fed/criteria/example_facts.h"
#include "fed/criteria/history_facts.h"
#include "fed/criteria/quality.h"
#include "fed/models/task_models.h"
#include "privacy/consented_histories.h"
#include "privacy/number_rows.h"

namespace sotto::fed {

namespace {

constexpr std::size_t tellers_part = 0, values_part = 1, scores_part = 2, small_parts = 3;

Error refuse(const std::string& why) { return fail(Code::usage, why); }

std::size_t criteria_of(const Task& task) { return task.criteria->options.order.size(); }

TaskShape small_part(std::size_t numbers, std::int32_t limit, const char* tells, bool told_again) {
  const std::size_t rows = rows_for(numbers);
  return {.sum_rows = rows,
          .sum_width = numbers_a_row,
          .sent = {.rows = rows, .width = numbers_a_row, .most_rows = rows},
          .limit = limit,
          .tells = tells,
          .counts = true,
          .told_again = told_again};
}

// Rows of a contribution that are a step of the model; of the others, if any, are counts.
std::size_t model_rows(const Task& task) {
  return task.model->weighable == Weighable::mean ? task.model->shape(task).rows : SIZE_MAX;
}

HistoryFactsOptions known_facts(const Task& task, const DeviceKnowledge& known) {
  HistoryFactsOptions facts;
  facts.most_records = task.criteria->size_bound;
  if (has_criterion(task, "diversity") || has_criterion(task, "balance")) {
    if (!known.categories.empty())
      facts.classes = ItemClasses(known.categories);
    else if (known.features != nullptr)
      facts.classes = ItemClasses(*known.features);
  }
  if (task.criteria->quality.empty()) return facts;
  facts.marked.assign(task.items, 0);
  const std::string in = "|" + task.criteria->quality + "|";
  for (std::size_t item = 0; item < std::min(known.categories.size(), task.items); ++item)
    facts.marked[item] = ("|" + known.categories[item] + "|").find(in) != std::string::npos;
  return facts;
}

// Where the update lies that criteria look at.
UpdateExtent extent_of(const Task& task) {
  UpdateExtent extent{.fixed = task.plan.fixed, .rows = model_rows(task)};
  if (task.model->layer_ends != nullptr) extent.layer_ends = task.model->layer_ends(task);
  return extent;
}

// What a device knows of the examples that its person lets out in a round.
class OwnExampleFacts final : public FactsSource {
 public:
  OwnExampleFacts(std::shared_ptr<const Examples> examples, Dealt hand, std::uint64_t most_records)
      : examples_(std::move(examples)), hand_(std::move(hand)), facts_(*examples_, hand_, most_records) {}

  DeviceFacts of(UserIndex device) const override { return facts_.of(device); }
  // Of examples of which nobody said whether they have a quality the device knows no share.
  bool tells(UserIndex /*device*/, const char* criterion) const override {
    return std::string_view(criterion) != quality_criterion.name || !examples_->marks.empty();
  }

 private:
  std::shared_ptr<const Examples> examples_;
  Dealt hand_;
  ExampleFacts facts_;
};

using Facts = std::unique_ptr<const FactsSource>;

Result<Facts> facts_of(const Task& task, const DeviceStreams& streams, const DeviceHistory& history,
                       std::uint32_t round) {
  if (task.model->examples == nullptr)
    return Facts(std::make_unique<HistoryFacts>(history.shareable, task.items,
                                                known_facts(task, history.known), nullptr));
  SOTTO_ASSERT(history.known.examples != nullptr, "a device that learns from examples has some");
  const auto histories = ConsentedHistories::of_one(task.plan.consent, history.consumed, streams.seed);
  SOTTO_TRY(Dealt hand, dealt_in(*histories, round, streams.index));
  return Facts(
      std::make_unique<OwnExampleFacts>(history.known.examples, std::move(hand), task.criteria->size_bound));
}

bool too_few_tell(const Task& task, std::size_t criterion) {
  return task.totals[tellers_part].numbers[criterion] < std::int64_t{task.criteria->options.least_tellers};
}

class WeighedDevice final : public DeviceModel {
 public:
  WeighedDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : task_(task),
        streams_(streams),
        history_(history),
        model_(task.model->device(task, streams, history)),
        numbers_(numbers_a_row) {}

  bool can_answer() const override { return model_->can_answer(); }
  RowMatrix start() const override { return model_->start(); }
  RowMatrix resumed(const RowMatrix& kept) const override { return model_->resumed(kept); }

  Result<Contribution*> contribute(std::uint32_t round, const RowMatrix& shared, RowMatrix& own) override {
    const CriteriaOptions& by = task_.criteria->options;
    switch (task_.totals.size()) {
      case tellers_part:
        trained_ = nullptr;
        SOTTO_TRY_DONE(measure(round, shared, own));
        return give(told_numbers(values_));
      case values_part:
        for (std::size_t n = 0; n < values_.size(); ++n)
          if (too_few_tell(task_, n)) values_[n] = kept_back;
        return give(value_numbers(values_));
      case scores_part: {
        const PartTotal& heard = task_.totals[values_part];
        SOTTO_TRY(const std::vector<double> totals,
                  criteria_totals(by.order, heard.numbers, heard.devices, round));
        score_ = score_of(by.score, values_, totals, heard.devices);
        return give(std::vector{score_});
      }
      default:
        return give_weighed(round, shared, own);
    }
  }
  std::vector<ItemIndex> let_out() const override {
    return task_.in_last_part() ? model_->let_out() : std::vector<ItemIndex>();
  }
  std::string told() const override {
    if (task_.in_last_part()) return model_->told();
    if (task_.totals.size() != values_part) return {};
    std::string names;
    for (std::size_t n = 0; n < values_.size(); ++n)
      if (values_[n] != kept_back)
        names += (names.empty() ? "" : " and ") + std::string(task_.criteria->options.order[n]->name);
    return "told " + (names.empty() ? "no criteria" : names);
  }

 private:
  Contribution* give(std::span<const std::int32_t> numbers) {
    put_numbers(numbers, numbers_);
    return &numbers_;
  }

  // As the model's device makes it: once in a round.
  [[nodiscard]] Status train(std::uint32_t round, const RowMatrix& shared, const RowMatrix& own) {
    moved_ = own;
    SOTTO_TRY(trained_, model_->contribute(round, shared, moved_));
    trained_->make_canonical();
    return Done{};
  }

  [[nodiscard]] Status measure(std::uint32_t round, const RowMatrix& shared, const RowMatrix& own) {
    const CriteriaOrder& order = task_.criteria->options.order;
    SOTTO_TRY(const Facts known, facts_of(task_, streams_, history_, round));
    DeviceFacts facts = known->of(UserIndex{0});
    const auto last = history_.known.last_round;
    facts.rounds_since = last && *last < round ? round - *last - 1 : round;
    if (looks_at_updates(order)) {
      SOTTO_TRY_DONE(train(round, shared, own));
      measure_distances(*trained_, extent_of(task_), facts);
    }
    values_.assign(order.size(), kept_back);
    for (std::size_t n = 0; n < order.size(); ++n)
      if (task_.plan.consent.people->of(streams_.index).criteria.tells(order[n]->name) &&
          known->tells(UserIndex{0}, order[n]->name)) {
        SOTTO_TRY(values_[n], value_of(order[n], facts));
      }
    return Done{};
  }

  [[nodiscard]] Result<Contribution*> give_weighed(std::uint32_t round, const RowMatrix& shared,
                                                   RowMatrix& own) {
    const PartTotal& heard = task_.totals[scores_part];
    SOTTO_TRY(const double mean, mean_score(heard.numbers[0], heard.devices, round));
    if (trained_ == nullptr) SOTTO_TRY_DONE(train(round, shared, own));
    SOTTO_TRY_DONE(weigh(score_ / mean, model_rows(task_), round, *trained_));
    own = moved_;
    return trained_;
  }

  const Task& task_;
  DeviceStreams streams_;
  DeviceHistory history_;
  std::unique_ptr<DeviceModel> model_;
  std::vector<std::int32_t> values_;  // one a criterion; kept_back where it is not told
  std::int32_t score_ = 0;
  Contribution numbers_;             // of a small part
  Contribution* trained_ = nullptr;  // the model's, since it was needed
  RowMatrix moved_;                  // with the private row
};

#ifndef SOTTO_NO_SERVER

Error refuse_numbers(const std::string& why) { return fail(Code::bad_input, "contribution refused: " + why); }

class WeighedServer final : public ServerModel {
 public:
  explicit WeighedServer(const Task& task) : task_(task), model_(task.model->server(task_)) {}

  ServerState start() const override { return model_->start(); }
  Status check(const Contribution& contribution) const override {
    if (task_.in_last_part()) return model_->check(contribution);
    const TaskShape part = task_.part();
    std::vector<std::int32_t> numbers(part.sum_numbers(), 0);
    for (std::size_t n = 0; n < contribution.size(); ++n) {
      if (n > 0 && contribution.row(n) == contribution.row(n - 1))
        return refuse_numbers("it says something of its criteria twice");
      std::copy_n(contribution.values(n), part.sum_width,
                  numbers.data() + std::size_t{contribution.row(n)} * part.sum_width);
    }
    return check_numbers(numbers);
  }
  Result<ServerState> release(std::uint32_t releases, const ServerState& state,
                              Aggregator&& sum) const override {
    return model_->release(releases, state, std::move(sum));
  }

 private:
  [[nodiscard]] Status check_numbers(std::span<const std::int32_t> numbers) const {
    const std::size_t part = task_.totals.size(), criteria = criteria_of(task_);
    const std::size_t said = part == tellers_part ? criteria : part == values_part ? 2 * criteria : 1;
    if (std::ranges::any_of(numbers.subspan(said), [](std::int32_t number) { return number != 0; }))
      return refuse_numbers("it says more than the task's criteria ask for");
    if (part == scores_part)
      return numbers[0] >= 0 && numbers[0] <= fixed_limit
                 ? Status(Done{})
                 : refuse_numbers("its score is below 0, or above the largest there is");
    for (std::size_t n = 0; n < criteria; ++n) {
      const char* name = task_.criteria->options.order[n]->name;
      const std::int32_t told = numbers[part == values_part ? 2 * n + 1 : n];
      if (told != 0 && told != 1)
        return refuse_numbers(fmt::format("it tells the criterion {} other than once", name));
      if (part == tellers_part) continue;
      if (told == 1 && too_few_tell(task_, n))
        return refuse_numbers(fmt::format("it tells the criterion {}, which too few told", name));
      if (numbers[2 * n] < 0 || numbers[2 * n] > told * value_unit)
        return refuse_numbers(fmt::format("the criterion {} is below 0, above 1, or not told", name));
    }
    return Done{};
  }

  Task task_;
  std::unique_ptr<ServerModel> model_;
};

#endif

Error refuse_heard(const std::string& why) {
  return fail(Code::bad_input, "the total of a part of the round is refused: " + why);
}

// Values are of those who told of themselves before, but for those who left since.
Status check_values(const Task& task) {
  const PartTotal &tellers = task.totals[tellers_part], &values = task.totals[values_part];
  const std::int64_t left = std::int64_t{tellers.devices} - std::int64_t{values.devices};
  const CriteriaOrder& order = task.criteria->options.order;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::int64_t sum = values.numbers[2 * n], told = values.numbers[2 * n + 1];
    const std::int64_t before = too_few_tell(task, n) ? 0 : tellers.numbers[n];
    if (told > before || told < before - left || sum > told * value_unit)
      return refuse_heard(
          fmt::format("the criterion {} is of other people than told it, or above 1", order[n]->name));
  }
  return Done{};
}

}  // namespace

TaskShape weighed_shape(const Task& task) {
  const std::size_t criteria = criteria_of(task);
  TaskShape whole = task.model->shape(task);
  whole.limit = fixed_limit;
  whole.tells = "weighed by criteria";
  whole.before.push_back(small_part(criteria, 1, "whether criteria are told", true));
  whole.before.push_back(small_part(2 * criteria, value_unit, "criteria", false));
  // Where everybody counts in the main sum, that has the weights again, which are the scores.
  const bool counts = task.model->weighable != Weighable::steps;
  whole.before.push_back(small_part(1, fixed_limit, "a score of criteria", counts));
  return whole;
}

double most_weight(const Task& task) {
  if (!task.criteria || task.totals.size() < small_parts) return 1.0;
  const PartTotal& scores = task.totals[scores_part];
  return double{fixed_limit} * scores.devices / static_cast<double>(scores.numbers[0]);
}

Status check_heard(const Task& task) {
  if (!task.criteria || task.totals.empty()) return Done{};
  const PartTotal& heard = task.totals.back();
  if (heard.devices < 2) return refuse_heard("criteria compare devices, and it is of one");
  if (task.totals.size() > 1 && heard.devices > task.totals[task.totals.size() - 2].devices)
    return refuse_heard("it is of more devices than the one before");
  // Where nobody counts nobody lied: there is nothing to weigh by.
  if (task.totals.size() - 1 == scores_part)
    return mean_score(heard.numbers[0], heard.devices, 0).ok()
               ? Status(Done{})
               : refuse("by these criteria nobody counts: take larger cohorts, or another score");
  if (task.totals.size() - 1 != values_part) return Done{};
  SOTTO_TRY_DONE(check_values(task));
  const auto totals = criteria_totals(task.criteria->options.order, heard.numbers, heard.devices, 0);
  return totals.ok() ? Status(Done{})
                     : refuse("nobody has anything of a criterion: take larger cohorts, or leave it out");
}

Status check_known(const Task& task, const DeviceKnowledge& known) {
  if (task.model->check_known != nullptr) SOTTO_TRY_DONE(task.model->check_known(task, known));
  if (!task.criteria || task.model->examples != nullptr) return Done{};
  const HistoryFactsOptions facts = known_facts(task, known);
  if ((has_criterion(task, "diversity") || has_criterion(task, "balance")) && facts.classes.count() == 0)
    return fail(Code::incompatible,
                "diversity and balance count categories, and the task's catalogue names none: give it "
                "categories or features");
  if (!facts.marked.empty() && std::ranges::find(facts.marked, std::uint8_t{1}) == facts.marked.end())
    return fail(Code::incompatible,
                "no item of the task's catalogue has the category of quality_category: write it as in the "
                "catalogue");
  return Done{};
}

std::unique_ptr<DeviceModel> device_of(const Task& task, const DeviceStreams& streams,
                                       const DeviceHistory& history) {
  if (task.criteria) return std::make_unique<WeighedDevice>(task, streams, history);
  return task.model->device(task, streams, history);
}

#ifndef SOTTO_NO_SERVER
std::unique_ptr<ServerModel> server_of(const Task& task) {
  if (task.criteria) return std::make_unique<WeighedServer>(task);
  return task.model->server(task);
}
#endif

}  // namespace sotto::fed
