// Fed-CARS: ratings and choices in context, by meta-learning on devices.
#include "engine/models/fedcars.h"

#include <algorithm>

#include "base/rng.h"
#include "engine/models/all_models.h"
#include "engine/plan/shared_fields.h"
#include "engine/protect/training_consent.h"
#include "engine/train/federated_training.h"
#include "engine/train/memory_plan.h"
#include "engine/train/released_rows.h"
#include "engine/train/training.h"
#include "model/fedcars/fedcars_recommender.h"
#include "privacy/context_consent.h"

namespace sotto::engine {

namespace {

constexpr float plain_rate = 1.0f;  // β of plain steps

// Rules for single features hold for models that keep them apart; here a dimension is let in or not.
Status check_rules(const ConsentPolicy& consent, const Split& split) {
  if (consent.people == nullptr || split.contexts == nullptr) return Done{};
  const auto of_items = [](const ContextDimension& dimension) {
    return dimension.source == ContextSource::item;
  };
  const auto has_rules = [](const ConsentTerms& terms) { return !terms.kept_back.empty(); };
  if (!std::ranges::any_of(split.contexts->dimensions, of_items) ||
      !std::ranges::any_of(consent.people->kinds(), has_rules))
    return Done{};
  return fail(
      Code::usage,
      "a person's policy withholds single features or predicates, but fedcars uses features of items as "
      "whole dimensions: set the dimension to off in the policy, or leave 'item' out of --contexts");
}

Status check_fedcars(const TrainRequest& request) {
  const double share = request.model.own<FedcarsSettings>().participation;
  if (!(share > 0.0 && share <= 1.0))
    return fail(Code::usage, "participation is a share of the people: above 0 and at most 1");
  if (request.model.own<FedcarsSettings>().query == QueryFrom::test &&
      (request.plan.consent.pi < 1.0 || request.consent.any()))
    return fail(Code::usage,
                "with --query test devices learn from the records they are judged on, which no consent "
                "covers: leave out --query test or the consent options");
  return check(fedcars_options(request));
}

bool asks_the_test_part(const TrainRequest& request) {
  return request.model.own<FedcarsSettings>().query == QueryFrom::test;
}

std::unique_ptr<Recommender> seen_fedcars(const Fedcars& model, const RowMatrix& /*users*/,
                                          const RowMatrix& items) {
  return std::make_unique<FedcarsRecommender>(model, &items);
}

Result<Population> fedcars_population(const TrainRequest& request, const Split& split) {
  Population population{.users = users_with_history(participants(request, split.train)), .schedule = {}};
  SOTTO_TRY(population.schedule, history_schedule_for(request.plan, population.users.size()));
  return population;
}

Result<std::unique_ptr<FactorTraining>> start_fedcars(const TrainRequest& request, const Split& split,
                                                      Executor& executor, Storage* /*memory*/) {
  SOTTO_TRY(const Fedcars model, make_fedcars(request, split));
  return start_history_model(model, request, split, executor, participants(request, split.train),
                             seen_fedcars);
}

Result<std::unique_ptr<Recommender>> view_fedcars(const TrainRequest& asked, const Split& split,
                                                  const RowsView& rows, Executor& /*executor*/) {
  SOTTO_TRY(const TrainRequest request, with_people(asked, split));
  SOTTO_TRY(const Fedcars model, make_fedcars(request, split));
  if (shape_of(rows.items) != MatrixShape{model.shared_rows(), model.shared_width()} || !rows.layers.empty())
    return fail(Code::bad_input, "the model does not fit its plan and its contexts: train again");
  return seen_fedcars(model, rows.users, rows.items);
}

// Rows of items and of values by their names; those behind them are the same in both. Own rows are adapted
// whenever somebody is asked about.
Result<Parameters> fedcars_of_rows(const ReleasedRows& released, const TrainRequest& asked,
                                   const Split& split, Executor& /*executor*/) {
  SOTTO_TRY(const TrainRequest request, with_people(asked, split));
  SOTTO_TRY(const Fedcars model, make_fedcars(request, split));
  const std::size_t values = released.known.contexts == nullptr ? 0 : released.known.contexts->values();
  const FedcarsLayout from = fedcars_layout(released.task.items, values, model.options());
  const FedcarsLayout& to = model.layout();
  if (from.rows() != released.rows.rows() || from.width() != released.rows.width())
    return fail(Code::incompatible, "the version is not of the task's catalogue: export it again");
  std::vector<std::uint32_t> at = released.item_at;
  const Contexts none;
  for (const std::uint32_t value :
       values_at(released.known, split.contexts == nullptr ? none : *split.contexts))
    at.push_back(value == no_row ? no_row : from.value_row(value));
  for (std::uint32_t row = to.start_row(); row < to.rows(); ++row)
    at.push_back(from.start_row() + (row - to.start_row()));
  return Parameters{.items = placed(released.rows, at),
                    .users = Private(RowMatrix(split.users.size(), model.private_width()))};
}

void add_fedcars_memory(const TrainRequest& request, const MemoryFacts& facts,
                        std::vector<MemoryPart>& parts) {
  add_factor_rows(request, facts, parts);
  add_who_has_what(facts, parts);
}

template <class T>
Field fedcars_row(const char* key, const char* flag, const char* help, T FedcarsSettings::*member) {
  return fields::field({std::string("fedcars.") + key, flag, "N", help}, fields::own(member))
      .in_group("Model");
}

template <class T>
Field fedcars_row(const char* key, const char* flag, const char* help, MamlOptions FedcarsSettings::*part,
                  T MamlOptions::*member) {
  return fields::field(
             {std::string("fedcars.") + key, flag, "N", help}, [ part, member ](auto& request) -> auto& {
               return request.model.template own<FedcarsSettings>().*part.*member;
             })
      .in_group("Model");
}

Fields adapting_fields() {
  using namespace fields;
  using Of = FedcarsSettings;
  const auto rating = [](auto member) {
    return [member](auto& request) -> auto& {
      return request.model.template own<FedcarsSettings>().rating.*member;
    };
  };
  return {
      fedcars_row("inner_steps", "--inner-steps", "steps by which a device adapts", &Of::rating,
                  &MamlOptions::steps),
      fedcars_row("inner_lr", "--inner-lr", "learning rate of these steps, alpha", &Of::rating,
                  &MamlOptions::rate),
      fedcars_row("own_reg", "--own-reg", "how strongly the private row is pulled to the common start",
                  &Of::rating, &MamlOptions::own_reg),
      fedcars_row("shared_reg", "--shared-reg", "how strongly the shared rows are pulled to 0", &Of::rating,
                  &MamlOptions::shared_reg),
      named({"fedcars.order", "--order", "NAME", "order of the meta-gradient"}, rating(&MamlOptions::order),
            parse_maml_order, {"first", "second"})
          .in_group("Model"),
      named({"fedcars.adapts", "--adapts", "NAME",
             "what inner steps change: own (the private row) or all (as the paper has it)"},
            rating(&MamlOptions::adapts), parse_adapts, {"own", "all"})
          .in_group("Model"),
      fedcars_row("error_bend", "--error-bend",
                  "errors of more than N stars count linearly, not squared; 0: all squared", &Of::error_bend),
      named(
          {"fedcars.query", "--query", "NAME",
           "where the outer step's examples come from: training, or test (as the paper has it; this leaks)"},
          own(&Of::query), parse_query_from, {"training", "test"})
          .in_group("Model"),
      fedcars_row("query_share", "--query-share", "share of a visit's records for the outer step",
                  &Of::query_share),
      fedcars_row("few_share", "--few-share", "share of the visits that simulate a new user with few records",
                  &Of::few_share),
      fedcars_row("hidden", "--mlp", "units of a network on top of the factorisation machine", &Of::hidden),
      toggle({"fedcars.popularity_start", "--random-start", "",
              "start item biases at 0, without a first round of counting"},
             own(&Of::popularity_start), false)
          .in_group("Model"),
      fedcars_row("participation", "--participation",
                  "share of the people who contribute; the others only receive the model",
                  &Of::participation)};
}

Fields choice_fields() {
  using namespace fields;
  using Of = FedcarsSettings;
  return {toggle({"fedcars.choices", "--ratings-only", "",
                  "do not learn what people choose; rank by predicted ratings"},
                 own(&Of::choices), false)
              .in_group("Model"),
          fedcars_row("negatives", "--choice-negatives", "negatives per chosen item", &Of::negatives),
          fedcars_row("choice_steps", "--choice-steps", "inner steps for choices", &Of::choice,
                      &MamlOptions::steps),
          fedcars_row("choice_inner_lr", "--choice-inner-lr", "learning rate of these steps", &Of::choice,
                      &MamlOptions::rate),
          fedcars_row("choice_own_reg", "--choice-own-reg", "as --own-reg, for choices", &Of::choice,
                      &MamlOptions::own_reg),
          fedcars_row("choice_shared_reg", "--choice-shared-reg", "as --shared-reg, for choices", &Of::choice,
                      &MamlOptions::shared_reg),
          fedcars_row("choice_rate", "--choice-rate",
                      "factor by which the server's steps are longer for choices", &Of::choice_rate),
          fedcars_row("choice_recency", "--choice-recency", "as --recency, for choices; 0: the same",
                      &Of::choice_recency)};
}

}  // namespace

FedcarsOptions fedcars_options(const TrainRequest& request) {
  const FedcarsSettings& asked = request.model.own<FedcarsSettings>();
  FedcarsOptions options;
  options.factors = request.plan.fpl.factors;
  options.hidden = asked.hidden;
  options.rating = asked.rating;
  options.error_bend = asked.error_bend;
  options.choice = asked.choice;
  options.choice.order = asked.rating.order;
  options.choice.adapts = asked.rating.adapts;
  options.chooses = asked.choices;
  options.choice_rate = asked.choice_rate;
  options.negatives = asked.negatives;
  options.query = asked.query;
  options.query_share = asked.query_share;
  options.few_share = asked.few_share;
  options.half_life = request.recency;
  options.choice_half_life = asked.choice_recency;
  options.popularity_start = asked.popularity_start;
  options.init_sd = request.plan.fpl.init_sd;
  options.seed = request.plan.seed;
  options.server.step = request.server.step.value_or(options.server.step);
  const float usual = options.server.step == ServerStep::adam ? options.server.rate : plain_rate;
  options.server.rate = request.server.rate.value_or(usual);
  options.server.beta1 = request.server.beta1;
  options.server.beta2 = request.server.beta2;
  return options;
}

bool answers_at(double participation, std::uint64_t seed, UserIndex user) {
  return participation >= 1.0 ||
         Stream(seed, Purpose::draw_participants, 0, user.value).chance(participation);
}

Histories participants(const TrainRequest& request, const Histories& histories) {
  const double share = request.model.own<FedcarsSettings>().participation;
  if (share >= 1.0) return histories;
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < histories.users(); ++user) {
    const auto own = histories.of(UserIndex{user});
    if (answers_at(share, request.plan.seed, UserIndex{user}))
      items.insert(items.end(), own.begin(), own.end());
    offsets.push_back(items.size());
  }
  return {std::move(offsets), std::move(items)};
}

Result<Fedcars> make_fedcars(const TrainRequest& request, const Split& split) {
  if (split.records == nullptr || !split.records->has_ratings)
    return fail(Code::bad_input,
                "Fed-CARS learns from ratings and the data has none: give files with a rating column "
                "(--columns rating=3), not a saved split");
  if ((request.recency > 0.0f || request.model.own<FedcarsSettings>().choice_recency > 0.0f) &&
      !split.train.has_ages())
    return fail(
        Code::bad_input,
        "recency needs the order in time, and the split has none: split by time (temporal:0.8), or leave "
        "--recency and --choice-recency out");
  SOTTO_TRY_DONE(check_rules(request.plan.consent, split));
  const FedcarsOptions options = fedcars_options(request);
  auto devices = std::make_shared<const FedcarsDevices>(split, shareable(request.plan.consent, split.train),
                                                        context_terms(request.plan.consent), options);
  return Fedcars(options, std::move(devices));
}

ModelEntry fedcars_entry() {
  using namespace fields;
  return {.name = "fedcars",
          .title = "Fed-CARS",
          .about = "ratings and choices in context, by meta-learning on devices",
          .sends = Sends::shared_sums,
          .reveals = "gradients of the whole model, from records with consented contexts",
          .needs_ratings = true,
          .fields = joined({{factors(), epochs(), recency(), init_sd(), cohort(), wire()},
                            server_step("adam"),
                            federated_fields(),
                            criteria_fields(),
                            adapting_fields(),
                            choice_fields()}),
          .own = FedcarsSettings{},
          .check = check_fedcars,
          .start = start_fedcars,
          .view = view_fedcars,
          .of_rows = fedcars_of_rows,
          .memory = add_fedcars_memory,
          .population = fedcars_population,
          .learns_from_test = asks_the_test_part};
}

}  // namespace sotto::engine
