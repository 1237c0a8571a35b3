// The models of weighted least squares: iALS in one place, federated ALS and FCF on devices.
#include "engine/models/als.h"

#include "engine/models/all_models.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/central_training.h"
#include "engine/train/federated_training.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"
#include "model/central/ials.h"
#include "model/fcf.h"
#include "model/fed_als.h"

namespace sotto::engine {

namespace {

FcfOptions fcf_options(const TrainRequest& request) {
  const ServerStep step = request.server.step.value_or(ServerStep::adam);
  AlsOptions als = als_options(request);
  als.reg_power = 0.0f;  // the server's half has one λ for all
  return {.als = als,
          .server = {.step = step,
                     .rate = request.server.rate.value_or(usual_fcf_rate(step)),
                     .beta1 = request.server.beta1,
                     .beta2 = request.server.beta2}};
}

// A user's row is an exact solution, so that somebody new gets one too.
FoldInOptions exact_fold_in(const TrainRequest& request) {
  return {.learning_rate = request.plan.fpl.learning_rate,
          .reg = request.plan.fpl.user_reg,
          .passes = FoldInOptions{}.passes,
          .seed = request.plan.seed,
          .exact = als_options(request)};
}

Field confidence() {
  return fields::field({"model.confidence", "--confidence", "A", "α: a consumed item weighs 1 + α"},
                       fields::own(&AlsSettings::confidence))
      .with_standard(fmt::format("{}", AlsOptions{}.confidence))
      .with_tries({"1.0", "9.0", "40.0"})
      .in_group("Model");
}

Field reg_power() {
  return fields::field(
             {"model.reg_power", "--reg-power", "V", "λ times (α · interactions + all)^V; 0: one λ for all"},
             fields::own(&AlsSettings::reg_power))
      .in_group("Model");
}

Fields als_fields() {
  using namespace fields;
  return {factors(), epochs(), lambda(AlsOptions{}.lambda), init_sd(), confidence()};
}

// Rows and what solves them.
double add_solvers(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const double row = factor_row_bytes(request.plan.fpl.factors);
  add_factor_rows(request, facts, parts);
  const double square = row * (request.plan.fpl.factors + 8.0);
  parts.push_back({"solvers", square * (2.0 * static_cast<double>(facts.threads) + 32.0)});
  return row;
}

double sum_row_bytes(double width) { return 4.0 * (width + 15.0); }

void add_ials_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const double row = add_solvers(request, facts, parts);
  parts.push_back({"a copy of one side", row * static_cast<double>(std::max(facts.users, facts.catalogue))});
  parts.push_back({"who has an item", 4.0 * static_cast<double>(facts.interactions) +
                                          8.0 * static_cast<double>(facts.catalogue)});
}

void add_fedals_memory(const TrainRequest& request, const MemoryFacts& facts,
                       std::vector<MemoryPart>& parts) {
  const double row = add_solvers(request, facts, parts);
  const auto catalogue = static_cast<double>(facts.catalogue);
  parts.push_back({"the received rows", row * catalogue});
  // A row needs 64-bit sums once as many devices are in it as ones fit 30 bits.
  const double wide =
      static_cast<double>(facts.interactions) / static_cast<double>(1u << (30 - request.plan.fixed.bits)) +
      1.0;
  const double width = sum_row_bytes(static_cast<double>(FedAls::statistic_width(request.plan.fpl.factors)));
  parts.push_back(
      {"sums", static_cast<double>(facts.threads) * (catalogue * (width + 12.0) + 4.0 * wide * width)});
}

void add_fcf_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const double row = add_solvers(request, facts, parts);
  const auto catalogue = static_cast<double>(facts.catalogue);
  const double sum_row = sum_row_bytes(request.plan.fpl.factors);
  parts.push_back({"the received rows", row * catalogue});
  parts.push_back({"sums", static_cast<double>(facts.threads) * catalogue * (3.0 * sum_row + 12.0)});
  // A checkpoint and the best model so far hold them too.
  const double copies = (facts.keeps_checkpoints ? 4.0 : 1.0) + (request.early.patience > 0 ? 1.0 : 0.0);
  if (request.server.step.value_or(ServerStep::adam) == ServerStep::adam)
    parts.push_back({"the server's moments", copies * 2.0 * catalogue * sum_row});
}

Status check_cohort(const TrainRequest& request) {
  if (request.plan.cohort < 1.0)
    return fail(Code::usage,
                "federated ALS solves the items from one sum over everybody: leave --cohort at 1");
  return check_fed_als(als_options(request));
}

void take_als(const Task& task, TrainRequest& request) {
  const auto& als = options_of<AlsOptions>(task);
  request.plan.fpl.factors = als.factors;
  request.plan.fpl.init_sd = als.init_sd;
  request.lambda = als.lambda;
  request.model.own<AlsSettings>() = {.confidence = als.confidence, .reg_power = als.reg_power};
}

}  // namespace

AlsOptions als_options(const TrainRequest& request) {
  const AlsOptions defaults;
  const AlsSettings& own = request.model.own<AlsSettings>();
  return {.factors = request.plan.fpl.factors,
          .lambda = request.lambda.value_or(defaults.lambda),
          .confidence = own.confidence.value_or(defaults.confidence),
          .reg_power = own.reg_power,
          .init_sd = request.plan.fpl.init_sd,
          .seed = request.plan.seed};
}

ModelEntry ials_entry() {
  return {
      .name = "ials",
      .title = "iALS",
      .about = "weighted least squares on implicit feedback, alternating (Hu et al. 2008)",
      .fields = joined({als_fields(), {reg_power()}}),
      .own = AlsSettings{},
      .check = [](const TrainRequest& request) { return check(als_options(request)); },
      .start = [](const TrainRequest& request, const Split& split, Executor& executor,
                  Storage*) { return start_central<Ials>(request, split, als_options(request), executor); },
      .shapes = factor_shapes,
      .fold_in = exact_fold_in,
      .memory = add_ials_memory};
}

ModelEntry fedals_entry() {
  using namespace fields;
  return {.name = "fedals",
          .title = "Federated ALS",
          .about = "iALS with the same result, from sums over devices",
          .sends = Sends::item_sums,
          .reveals = "products of the private row, in the rows of consented items",
          .fields = joined(
              {als_fields(), {reg_power(), wire()}, federated_fields(), noise_fields(), criteria_fields()}),
          .own = AlsSettings{},
          .check = check_cohort,
          .start =
              [](const TrainRequest& request, const Split& split, Executor& executor, Storage*) {
                return start_history_model(FedAls(als_options(request), split.catalogue), request, split,
                                           executor, split.train);
              },
          .shapes = factor_shapes,
          .of_task = take_als,
          .fold_in = exact_fold_in,
          .memory = add_fedals_memory,
          .population = people_with_histories,
          .has_user_rows = true,
          .first_item_row = 1};
}

ModelEntry fcf_entry() {
  using namespace fields;
  return {.name = "fcf",
          .title = "FCF",
          .about = "least squares by gradients (Ammad-ud-din et al. 2019)",
          .sends = Sends::item_gradients,
          .reveals = "a gradient in the row of every item",
          .fields = joined({als_fields(),
                            {cohort(), wire()},
                            server_step("adam"),
                            federated_fields(),
                            noise_fields(),
                            criteria_fields()}),
          .own = AlsSettings{},
          .check = [](const TrainRequest& request) { return check(fcf_options(request)); },
          .start = [](const TrainRequest& request, const Split& split, Executor& executor,
                      Storage*) -> Result<std::unique_ptr<FactorTraining>> {
            SOTTO_TRY(const Population population, people_with_histories(request, split));
            const double share = static_cast<double>(population.schedule.cohort) /
                                 static_cast<double>(population.users.size());
            return start_history_model(Fcf(fcf_options(request), split.catalogue, share), request, split,
                                       executor, split.train);
          },
          .shapes = factor_shapes,
          .fold_in = exact_fold_in,
          .memory = add_fcf_memory,
          .population = people_with_histories,
          .has_user_rows = true};
}

}  // namespace sotto::engine
