// Fed-CARS over a network: a device's rated records, in the contexts that its person lets in, give slopes of
// the rows that they name.
//
// A device keeps nothing of its own: the own row is adapted from the history whenever it is needed. The first
// round that is answered counts, so contributions are of one version.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "fed/models/history_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "fed/models/weighed_task.h"
#include "model/fedcars/fedcars_recommender.h"
#include "privacy/context_consent.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t most_values = 1u << 24;
constexpr float plain_rate = 1.0f;

struct FedcarsTask {
  FedcarsOptions model;
  bool rate_is_chosen = false;
  // Of the catalogue.
  std::uint32_t values = 0;  // of contexts
  RatingScale scale = {.lowest = 0.0f, .highest = 0.0f};
};

void visit_switch(TaskOptions& keys, const char* key, bool& is_on) {
  std::size_t place = is_on ? 1 : 0;
  keys.choice(key, {"no", "yes"}, place);
  is_on = place == 1;
}

void visit_server(TaskOptions& keys, FedcarsTask& own) {
  ServerStepOptions& server = own.model.server;
  auto step = static_cast<std::size_t>(server.step);
  keys.choice("server", server_steps, step);
  server.step = static_cast<ServerStep>(step);
  if (!own.rate_is_chosen && server.step != ServerStep::adam) server.rate = plain_rate;
  own.rate_is_chosen = true;
  keys.real("server_lr", server.rate);
  keys.real("beta1", server.beta1);
  keys.real("beta2", server.beta2);
}

void visit_fedcars(TaskOptions& keys, FedcarsTask& own) {
  FedcarsOptions& model = own.model;
  keys.whole("factors", model.factors);
  keys.real("init_sd", model.init_sd);
  keys.real("recency", model.half_life);
  keys.whole("inner_steps", model.rating.steps);
  keys.real("inner_lr", model.rating.rate);
  keys.real("own_reg", model.rating.own_reg);
  keys.real("shared_reg", model.rating.shared_reg);
  auto order = static_cast<std::size_t>(model.rating.order);
  keys.choice("order", {"first", "second"}, order);
  model.rating.order = model.choice.order = static_cast<MamlOrder>(order);
  auto adapts = static_cast<std::size_t>(model.rating.adapts);
  keys.choice("adapts", {"own", "all"}, adapts);
  model.rating.adapts = model.choice.adapts = static_cast<Adapts>(adapts);
  keys.real("error_bend", model.error_bend);
  keys.real("query_share", model.query_share);
  keys.real("few_share", model.few_share);
  keys.whole("hidden", model.hidden);
  visit_switch(keys, "popularity_start", model.popularity_start);
  visit_switch(keys, "choices", model.chooses);
  keys.whole("negatives", model.negatives);
  keys.whole("choice_steps", model.choice.steps);
  keys.real("choice_inner_lr", model.choice.rate);
  keys.real("choice_own_reg", model.choice.own_reg);
  keys.real("choice_shared_reg", model.choice.shared_reg);
  keys.real("choice_rate", model.choice_rate);
  keys.real("choice_recency", model.choice_half_life);
  visit_server(keys, own);
}

void visit_counts(TaskOptions& keys, FedcarsTask& own) {
  keys.whole("values", own.values);
  keys.real("lowest_rating", own.scale.lowest);
  keys.real("highest_rating", own.scale.highest);
}

std::size_t values_of(const DeviceKnowledge& known) {
  return known.contexts == nullptr ? 0 : known.contexts->values();
}

Status take_contexts(const DeviceKnowledge& known, v1::TaskSpec& spec) {
  if (known.records == nullptr)
    return fail(Code::usage,
                "fedcars learns from ratings: give the task a catalogue with rating_scale, and with the "
                "contexts that it should learn from");
  FedcarsTask own;
  own.values = static_cast<std::uint32_t>(values_of(known));
  own.scale = known.records->scale;
  OptionWriter writer(spec);
  visit_counts(writer, own);
  return Done{};
}

// A device's own values are there for all its records, or for none.
bool knows_contexts(const Task& task, const DeviceKnowledge& known) {
  const auto& own = options_of<FedcarsTask>(task);
  return known.records != nullptr && values_of(known) == own.values &&
         known.records->scale.lowest == own.scale.lowest && known.records->scale.highest == own.scale.highest;
}

Status check_contexts(const Task& task, const DeviceKnowledge& known) {
  if (knows_contexts(task, known)) return Done{};
  return fail(Code::incompatible,
              fmt::format("the task '{}' learns from {} values of contexts and from ratings, and its "
                          "catalogue has another vocabulary or another scale",
                          task.name, options_of<FedcarsTask>(task).values));
}

Status read_fedcars(const v1::TaskSpec& spec, Task& task) {
  FedcarsTask own;
  OptionReader reader(spec);
  visit_fedcars(reader, own);
  visit_counts(reader, own);
  SOTTO_TRY_DONE(reader.done());
  if (own.values > most_values)
    return fail(Code::usage, fmt::format("fedcars has at most {} values of contexts", most_values));
  if (!std::isfinite(own.scale.lowest) || !std::isfinite(own.scale.highest) ||
      !(own.scale.lowest < own.scale.highest))
    return fail(Code::usage, "the scale of ratings is none");
  SOTTO_TRY_DONE(check(own.model));
  task.options = own;
  return Done{};
}

FedcarsLayout layout_of(const Task& task) {
  const auto& own = options_of<FedcarsTask>(task);
  return fedcars_layout(task.items, own.values, own.model);
}

FedcarsOptions seeded(const Task& task) {
  FedcarsOptions options = options_of<FedcarsTask>(task).model;
  options.seed = task.plan.seed;
  return options;
}

TaskShape shape_of_fedcars(const Task& task) {
  const FedcarsLayout layout = layout_of(task);
  return {.rows = layout.rows(),
          .width = layout.width(),
          .sum_rows = layout.rows(),
          .sum_width = layout.width(),
          .sent = {.rows = layout.rows(), .width = layout.width(), .most_rows = layout.rows()},
          .limit = fixed_limit,
          .one_version = true};
}

// One person's part of a split, which the devices of a federation look at.
struct OwnSplit {
  Split split;
  std::optional<FedcarsDevices> devices;
};

// Who has no ratings, or not the task's vocabulary, has no records.
Fedcars fedcars_of(const Task& task, UserIndex index, const Histories& consumed, const Histories& trained_on,
                   const DeviceKnowledge& known) {
  const FedcarsOptions options = seeded(task);
  const bool knows = knows_contexts(task, known) && known.records->has_ratings;
  auto own = std::make_shared<OwnSplit>();
  own->split.catalogue = task.items;
  own->split.train = knows ? consumed : Histories(1);
  own->split.test = Histories(1);
  Records nobodys;
  nobodys.has_ratings = true;
  own->split.records = knows ? known.records : std::make_shared<const Records>(std::move(nobodys));
  own->split.contexts = knows_contexts(task, known) ? known.contexts : nullptr;
  own->devices.emplace(own->split, knows ? trained_on : Histories(1), context_terms(task.plan.consent),
                       options, index);
  return {options, std::shared_ptr<const FedcarsDevices>(own, &*own->devices)};
}

// Rules for single features hold for models that keep them apart; here a dimension is let in or not.
Status check_rules(const Task& task, UserIndex index, const Contexts& contexts) {
  const auto of_items = [](const ContextDimension& dimension) {
    return dimension.source == ContextSource::item;
  };
  if (task.plan.consent.people == nullptr || task.plan.consent.people->of(index).kept_back.empty() ||
      std::ranges::none_of(contexts.dimensions, of_items))
    return Done{};
  return fail(Code::incompatible,
              "a rule keeps back a single feature or predicate, and fedcars lets features in as whole "
              "dimensions: set the dimension to off instead");
}

class FedcarsDevice final : public HistoryDevice<Fedcars> {
 public:
  FedcarsDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : HistoryDevice(fedcars_of(task, streams.index, history.consumed, history.shareable, history.known),
                      task, streams, history),
        rules_(check_rules(task, streams.index, model().devices().contexts())),
        index_(streams.index) {}

  bool can_answer() const override { return model().devices().records(index_) > 0; }
  Result<Contribution*> contribute(std::uint32_t round, const RowMatrix& shared, RowMatrix& own) override {
    SOTTO_TRY_DONE(rules_);
    SOTTO_TRY(made_, HistoryDevice::contribute(round, shared, own));
    return made_;
  }
  // What the person says of themself and has a row in it.
  std::string told() const override {
    const Contexts& contexts = model().devices().contexts();
    std::string names;
    for (const std::uint32_t value : contexts.people.of(0))
      if (has_row(model().devices().layout().value_row(value)))
        names += (names.empty() ? "told " : " and ") + contexts.dimensions[contexts.dimension_of(value)].name;
    return names;
  }

 private:
  [[nodiscard]] bool has_row(std::uint32_t row) const {
    for (std::size_t n = 0; made_ != nullptr && n < made_->size(); ++n)
      if (made_->row(n) == row) return true;
    return false;
  }

  Status rules_;
  UserIndex index_;
  Contribution* made_ = nullptr;  // the last one
};

class FedcarsAnswers final : public TaskAnswers {
 public:
  FedcarsAnswers(Fedcars model, UserIndex index, const RowMatrix& shared)
      : index_(index), model_(std::move(model), &shared) {}

  void score(std::span<float> out) const override {
    model_.score(std::span(&index_, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
  }
  ScoreReasons reasons(ItemIndex item) const override {
    const ScoreParts parts = model_.parts_of(index_, item);
    ScoreReasons made{.score = parts.score, .common = parts.common, .because = {}};
    const Contexts& contexts = model_.model().devices().contexts();
    for (const ScoreParts::OfValue& one : parts.values) {
      if (!(one.part > 0.0f)) continue;
      const ContextDimension& dimension = contexts.dimensions[contexts.dimension_of(one.value)];
      made.because.push_back(
          {.feature = fmt::format("{}{}: {}", dimension.is_attribute() ? "your " : "", dimension.name,
                                  dimension.values[one.value - dimension.first]),
           .likeness = one.weight,
           .weight = one.part});
    }
    return made;
  }
  bool predict(std::span<const Occasion> occasions, std::span<float> out) const override {
    model_.predict(index_, occasions, out);
    return true;
  }

 private:
  UserIndex index_;
  FedcarsRecommender model_;
};

Result<std::unique_ptr<TaskAnswers>> fedcars_answers(const PersonView& view) {
  SOTTO_TRY_DONE(check_contexts(view.task, view.known));
  if (view.history.interactions() == 0) return nothing_to_answer_from();
  const Histories trained_on = shareable(view.task.plan.consent, view.history);
  Fedcars model = fedcars_of(view.task, view.streams.index, view.history, trained_on, view.known);
  SOTTO_TRY_DONE(check_rules(view.task, view.streams.index, model.devices().contexts()));
  return std::unique_ptr<TaskAnswers>(
      std::make_unique<FedcarsAnswers>(std::move(model), view.streams.index, view.shared));
}

Error refuse_slopes(const char* why) {
  return fail(Code::bad_input, std::string("contribution refused: ") + why);
}

class FedcarsServer final : public HistoryServer<Fedcars> {
 public:
  explicit FedcarsServer(const Task& task)
      : HistoryServer({seeded(task), layout_of(task)}, task),
        layout_(layout_of(task)),
        record_(static_cast<double>(task.plan.fixed.scale()) / double{tally_unit}),
        stars_(0.5 * (double{options_of<FedcarsTask>(task).scale.highest} -
                      double{options_of<FedcarsTask>(task).scale.lowest})),
        weight_(most_weight(task)),
        is_whole_(!task.clip.any() && !task.criteria) {}

  Status check(const Contribution& contribution) const override {
    bool is_weighed = contribution.size() == 0;
    for (std::size_t n = 0; n < contribution.size(); ++n) {
      if (n > 0 && contribution.row(n) == contribution.row(n - 1))
        return refuse_slopes("it names a row twice");
      if (contribution.row(n) != layout_.tally_row()) continue;
      is_weighed = true;
      SOTTO_TRY_DONE(check_tally(contribution.values(n)));
    }
    return is_weighed ? Status(Done{}) : refuse_slopes("it does not say of how many records it is");
  }

 private:
  // How many records, and what their ratings come to, where they are counted; nothing else.
  [[nodiscard]] Status check_tally(const std::int32_t* tally) const {
    const double most = (record_ * static_cast<double>(layout_.items) + 1.0) * weight_ + 1.0;
    const double records = tally[0];
    if (records > most || records < 0.0 || (is_whole_ && records < std::floor(record_)))
      return refuse_slopes("it is of fewer or more records than a person can have");
    const std::size_t bias = layout_.shape.factors;
    for (std::size_t k = 1; k < layout_.width(); ++k) {
      const double room = k == bias ? (records + weight_ + 1.0) * stars_ + weight_ + 1.0 : 0.0;
      if (std::abs(static_cast<double>(tally[k])) > room)
        return refuse_slopes("its count of records says more than a count");
    }
    return Done{};
  }
  [[nodiscard]] Error no_release() const override {
    return fail(Code::diverged,
                "the model left the finite numbers: lower server_lr and inner_lr, or set a clip (in a new "
                "task)");
  }

  FedcarsLayout layout_;
  double record_;  // one of a person's, in units of the sum
  double stars_;   // the furthest that a rating lies from the middle
  double weight_;  // by which it may be multiplied at most
  bool is_whole_;  // it is neither clipped nor multiplied
};

}  // namespace

constinit const TaskModel fedcars_task{
    .name = "fedcars",
    .configure = configure_by<FedcarsTask, visit_fedcars>,
    .read = read_fedcars,
    .shape = shape_of_fedcars,
    .row_of = nullptr,
    .device = device_half<FedcarsDevice>,
    .server = server_half<FedcarsServer>,
    .answers = fedcars_answers,
    .needs_ratings = true,
    .take_known = take_contexts,
    .check_known = check_contexts,
    .weighable = Weighable::sums,
};

}  // namespace sotto::fed
