#include "fed/models/weighed_task.h"

#include <fmt/core.h>

#include <algorithm>

#include "fed/criteria/history_facts.h"
#include "fed/models/task_models.h"
#include "privacy/number_rows.h"

namespace sotto::fed {

namespace {

constexpr std::size_t tellers_part = 0, values_part = 1, scores_part = 2, small_parts = 3;
constexpr std::uint32_t fewest_tellers = 3;
// Values have 24 bits: up to here a record more or less is seen.
constexpr std::uint32_t most_size_bound = 1'000'000;
constexpr std::size_t most_order = 256, most_quality = 1024;

Error refuse(const std::string& why) { return fail(Code::usage, why); }

bool holds(const CriteriaOrder& order, std::string_view name) {
  return std::ranges::any_of(order, [&](Criterion criterion) { return criterion->name == name; });
}

// A stranger's text is read as names, and printed, only where it can be some.
bool is_order(const std::string& text) {
  constexpr std::string_view others = "-> ";
  return text.size() <= most_order && std::ranges::all_of(text, [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || others.find(c) != others.npos;
         });
}

std::string weighable_models() {
  std::string names;
  for (const TaskModel* model : task_models)
    if (model->weighable != Weighable::no) names += (names.empty() ? "" : ", ") + std::string(model->name);
  return names;
}

// What a device knows of itself, and nobody has to say of it.
Status check_on_devices(const CriteriaOrder& order, Weighable weighable) {
  for (const Criterion criterion : order) {
    const std::string_view name = criterion->name;
    if (name == "novelty")
      return refuse("novelty needs the popularity of each item, which devices are not told: leave it out");
    if (name == "trust")
      return refuse("trust is what others say of a device, and here it would speak for itself: leave it out");
    if (name == "layer-closeness")
      return refuse("layer-closeness is for networks that classify: take closeness");
    if (criterion->of_update && weighable == Weighable::sums)
      return refuse(
          fmt::format("{} is measured on a device's step of the model, and this model sends "
                      "statistics: leave it out",
                      name));
  }
  return Done{};
}

Status check_facts(const CriteriaOrder& order, const v1::Criteria& asked) {
  if (holds(order, "size") != (asked.size_bound() != 0))
    return refuse(asked.size_bound() == 0
                      ? "size is a share of a bound that everybody knows: set size_bound, the records from "
                        "which a device counts fully"
                      : "size_bound is of the criterion size: name it in criteria, or leave the bound out");
  if (asked.size_bound() > most_size_bound)
    return refuse(
        fmt::format("size_bound is a number of records from 1 to {}: above that histories of "
                    "different lengths would count the same",
                    most_size_bound));
  if (holds(order, "quality") == asked.quality().empty())
    return refuse(asked.quality().empty()
                      ? "quality is the share of a history in one category: set quality_category"
                      : "quality_category is of the criterion quality: name it in criteria, or leave it out");
  if (asked.quality().size() > most_quality) return refuse("quality_category is too long for a category");
  return Done{};
}

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
  const CriteriaOrder& order = task.criteria->options.order;
  HistoryFactsOptions facts;
  facts.most_records = task.criteria->size_bound;
  if (holds(order, "diversity") || holds(order, "balance")) {
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

bool too_few_tell(const Task& task, std::size_t criterion) {
  return task.totals[tellers_part].numbers[criterion] < std::int64_t{task.criteria->options.least_tellers};
}

class WeighedDevice final : public DeviceModel {
 public:
  WeighedDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : task_(task),
        index_(streams.index),
        last_round_(history.known.last_round),
        model_(task.model->device(task, streams, history)),
        facts_(history.shareable, task.items, known_facts(task, history.known), nullptr),
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
    DeviceFacts facts = facts_.of(UserIndex{0});
    facts.rounds_since = last_round_ && *last_round_ < round ? round - *last_round_ - 1 : round;
    if (looks_at_updates(order)) {
      SOTTO_TRY_DONE(train(round, shared, own));
      measure_distances(*trained_, {.fixed = task_.plan.fixed, .rows = model_rows(task_)}, facts);
    }
    values_.assign(order.size(), kept_back);
    for (std::size_t n = 0; n < order.size(); ++n)
      if (task_.plan.consent.people->of(index_).criteria.tells(order[n]->name)) {
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
  UserIndex index_;
  std::optional<std::uint32_t> last_round_;
  std::unique_ptr<DeviceModel> model_;
  HistoryFacts facts_;
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

Status read_criteria(const v1::TaskSpec& spec, Task& task) {
  if (!spec.has_criteria()) return Done{};
  const v1::Criteria& asked = spec.criteria();
  if (task.model->weighable == Weighable::no)
    return refuse(fmt::format("criteria weigh what devices add up for {}, not for {}: leave criteria out",
                              weighable_models(), task.model->name));
  if (!is_order(asked.order()))
    return refuse("criteria are names with > between them, as \"size>diversity\"");
  TaskCriteria criteria;
  SOTTO_TRY(criteria.options.order, parse_order(asked.order()));
  SOTTO_TRY_DONE(check_on_devices(criteria.options.order, task.model->weighable));
  if (!asked.score().empty()) {
    if (!is_plain_name(asked.score())) return refuse("score is prioritized, mean, owa or choquet");
    SOTTO_TRY(criteria.options.score.kind, parse_score_kind(asked.score()));
  }
  criteria.options.score.weights.assign(asked.weights().begin(), asked.weights().end());
  SOTTO_TRY_DONE(check(criteria.options));
  SOTTO_TRY_DONE(check_facts(criteria.options.order, asked));
  criteria.options.least_tellers = asked.least_tellers();
  const std::uint32_t least =
      std::max(fewest_tellers, spec.sum() == v1::SUM_SECURE ? spec.assumed().crowd() : 0u);
  if (asked.least_tellers() < least)
    return refuse(
        fmt::format("a criterion is told by at least {} people, or left out of the round, and "
                    "these criteria are content with {}: raise crowd",
                    least, asked.least_tellers()));
  criteria.size_bound = asked.size_bound();
  criteria.quality = asked.quality();
  task.criteria = std::move(criteria);
  return Done{};
}

bool has_criterion(const Task& task, std::string_view name) {
  return task.criteria && holds(task.criteria->options.order, name);
}

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
  if (!task.criteria) return Done{};
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
