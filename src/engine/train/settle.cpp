#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "data/recency.h"
#include "device/consent_file.h"
#include "engine/plan/knowledge.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/request.h"
#include "engine/protect/dp.h"
#include "engine/protect/protection.h"
#include "engine/protect/weighing.h"
#include "engine/train/pair_model.h"
#include "metrics/evaluate.h"
#include "metrics/metric_name.h"
#include "model/kgflex/profile.h"

namespace sotto::engine {

namespace {

Status check_source(const DataRequest& data) {
  if (data.examples.wanted) return check_examples(data);
  if (data.paths.empty() && data.split_file.empty())
    return fail(Code::usage,
                "no data given: name files or folders with --data, or a saved split with --split-file");
  if (!data.split_file.empty() && (!data.paths.empty() || !data.test.empty() || !data.validation.empty()))
    return fail(Code::usage, "a saved split is complete: give either --split-file or --data, not both");
  if (!data.split_file.empty() && data.filter.any())
    return fail(Code::usage,
                "a saved split cannot be filtered again: filter when you make it (sotto data split)");
  if (!data.validation.empty() && data.test.empty())
    return fail(Code::usage, "a validation file was given without a test file: give both");
  return Done{};
}

// Parts that come ready are not cut again.
Status check_ready_parts(const DataRequest& data) {
  if (data.split_file.empty() && data.test.empty()) return Done{};
  const char* what = data.test.empty() ? "a saved split (--split-file)" : "a given test part (--test)";
  if (data.split.validation_share > 0.0)
    return fail(
        Code::usage,
        fmt::format("{} is not split again: leave --validation out, or give the part with --validation-data",
                    what));
  if (to_string(data.split.rule) != to_string(SplitOptions{}.rule))
    return fail(Code::usage, fmt::format("{} is not split again: leave --split out", what));
  return Done{};
}

Status check_knowledge(const TrainRequest& request) {
  const DataRequest& data = request.data;
  SOTTO_TRY_DONE(check(data.kg));
  if (data.kg.labels && data.names.empty())
    return fail(Code::usage, "--kg-labels makes features from the items' --names: add --names");
  if (request.model->needs_features && !data.kg.asked())
    return fail(
        Code::usage,
        fmt::format(
            "{} needs features of the items: name a knowledge graph or a list of item features with --kg",
            request.model->name));
  if (data.kg.depth.value_or(1) > ProfileOptions::most_hops)
    return fail(Code::usage, fmt::format("models use features of 1 to {} hops, not {}: choose --kg-depth",
                                         ProfileOptions::most_hops, *data.kg.depth));
  if (data.kg.only_known && (!data.split_file.empty() || !data.test.empty()))
    return fail(Code::usage,
                "items without features can be left out only where the data is split (--data): leave "
                "--kg-only-known out with --split-file and --test");
  return Done{};
}

// Ratings, times and contexts; the split's options follow from who needs them.
Status settle_records(TrainRequest& request) {
  DataRequest& data = request.data;
  SOTTO_TRY_DONE(check(data.contexts));
  if (!data.rating_scale.empty()) {
    SOTTO_TRY(data.split.scale, parse_rating_scale(data.rating_scale));
  }
  const bool rated = request.model->needs_ratings;
  data.split.keep_records = rated || data.contexts.asked();
  if (data.split.keep_records && !data.split_file.empty())
    return fail(Code::usage,
                fmt::format("a saved split holds no ratings and no times, which {} needs: give the "
                            "interaction files with --data",
                            rated ? request.model->name : "--contexts"));
  if (data.split.most_test > 0 && (!data.split_file.empty() || !data.test.empty()))
    return fail(Code::usage, "given parts are not split again: leave --most-test out");
  return Done{};
}

Status check_early_stopping(const TrainRequest& request) {
  if (request.early.patience == 0) return Done{};
  if (request.early.every == 0)
    return fail(Code::usage, "--eval-every is 0: give the epochs between two evaluations, 1 or more");
  const DataRequest& data = request.data;
  const bool may_have_validation =
      data.split.validation_share > 0.0 || !data.validation.empty() || !data.split_file.empty();
  if (!may_have_validation)
    return fail(
        Code::usage,
        "early stopping needs a validation part: add --validation 0.2 (a share of the training part)");
  SOTTO_TRY(const MetricName metric, parse_metric_name(request.early.metric));
  if (metric.cutoff &&
      std::find(request.cutoffs.begin(), request.cutoffs.end(), *metric.cutoff) == request.cutoffs.end())
    return fail(Code::usage,
                fmt::format("early stopping watches {}, but lists of {} are not judged: add {} to --cutoffs",
                            request.early.metric, *metric.cutoff, *metric.cutoff));
  return Done{};
}

Status check_average(const TrainRequest& request) {
  if (request.average_last == 0) return Done{};
  if (request.early.patience > 0)
    return fail(Code::usage,
                "early stopping keeps the best epoch, --average-last the mean of the last ones: choose one");
  if (request.average_last > request.plan.epochs)
    return fail(Code::usage, fmt::format("--average-last is over {} epochs, and there are {}: choose fewer",
                                         request.average_last, request.plan.epochs));
  return Done{};
}

// What several models have, and this one has not: plans and flags were refused by the table of fields.
Status check_had(const TrainRequest& request) {
  const std::array asked{std::pair(request.recency > 0.0f, "--recency"),
                         std::pair(request.average_last > 0, "--average-last"),
                         std::pair(request.wire, "--wire"),
                         std::pair(request.plan.down != ModelPrecision::f32, "--down-precision")};
  for (const auto& [is_asked, flag] : asked)
    if (is_asked && request.model->flag(flag) == nullptr)
      return fail(Code::usage,
                  fmt::format("{}: {}: leave it out. {}", flag, not_of_model(request.model.entry(), flag),
                              options_of(request.model.entry())));
  return Done{};
}

// What a person asks of a sum holds in a simulation too: a device would refuse the task.
Status check_demands(const std::string& policy_text, const std::string& name, const SumOptions& sum) {
  if (policy_text.empty()) return Done{};
  SOTTO_TRY(const PersonalPolicy policy, read_policy(policy_text, name));
  if (policy.secure_only && sum.kind == SumKind::plain)
    return fail(
        Code::usage,
        fmt::format("{}: the person allows only secure sums, and this run's are plain: add --sum secure",
                    name));
  const std::uint32_t crowd = sum.kind == SumKind::secure ? sum.assumed.crowd : 1;
  if (policy.least_crowd > crowd)
    return fail(
        Code::usage,
        fmt::format("{}: the person asks for a crowd of {}, and this run promises {}: add --sum secure "
                    "--secure-crowd {}",
                    name, policy.least_crowd, crowd, policy.least_crowd));
  return Done{};
}

Status check_sum(const TrainRequest& request) {
  if (request.sum.kind != SumKind::plain && !request.model->federated())
    return fail(Code::usage, fmt::format("a {} sum is for federated models, not {}: leave it out",
                                         to_string(request.sum.kind), request.model->name));
  if (request.sum.kind == SumKind::products && request.model->pairs == nullptr)
    return fail(
        Code::usage,
        fmt::format("products are of models that learn from pairs of items ({}), not {}: take another "
                    "--sum",
                    model_names([](const ModelEntry& entry) { return entry.pairs != nullptr; }),
                    request.model->name));
  if (request.sum.kind == SumKind::products && (request.dp.asked() || request.robust.asked()))
    return fail(
        Code::usage,
        "three aggregators multiply what nobody else sees, so that no noise and no robust rule can come "
        "before: leave them out, or take another --sum");
  SOTTO_TRY_DONE(check(request.sum));
  return check_is_read(request.sum, request.criteria.asked());
}

}  // namespace

Status settle(TrainRequest& request) {
  request.data.examples.wanted = request.model->needs_examples;
  request.data.split.seed = request.plan.seed;
  SOTTO_TRY_DONE(check_source(request.data));
  SOTTO_TRY_DONE(check_ready_parts(request.data));
  SOTTO_TRY_DONE(check_knowledge(request));
  SOTTO_TRY_DONE(settle_records(request));
  if (request.plan.seed > most_seed)
    return fail(Code::usage,
                fmt::format("the seed is {}, but plans hold at most {}", request.plan.seed, most_seed));
  FplOptions& fpl = request.plan.fpl;
  fpl.user_reg = request.user_reg.value_or(fpl.learning_rate / 20.0f);
  fpl.positive_reg = request.positive_reg.value_or(fpl.learning_rate / 20.0f);
  fpl.negative_reg = request.negative_reg.value_or(fpl.learning_rate / 200.0f);
  SOTTO_TRY_DONE(check(request.plan));
  SOTTO_TRY_DONE(check_sum(request));
  SOTTO_TRY_DONE(check(request.consent, request.plan.consent));
  SOTTO_TRY_DONE(check_demands(request.consent.policy, request.consent.policy_name, request.sum));
  SOTTO_TRY_DONE(check_demands(request.consent.device_policy, "the device's policy", request.sum));
  if (request.consent.any() && !request.model->federated())
    return fail(Code::usage,
                fmt::format("consent is for what leaves devices, and {} is a central model: leave "
                            "--consent, --consent-mix, --udcp and --device out",
                            request.model->name));
  SOTTO_TRY_DONE(check(request.knn));
  SOTTO_TRY_DONE(Recency::check(request.recency));
  SOTTO_TRY_DONE(check_had(request));
  if (request.model->check) SOTTO_TRY_DONE(request.model->check(request));
  SOTTO_TRY_DONE(check_pairs(request));
  SOTTO_TRY_DONE(check_dp(request));
  SOTTO_TRY_DONE(check_robust(request));
  if (!request.model->needs_examples) SOTTO_TRY_DONE(check_criteria(request));
  SOTTO_TRY_DONE(check_early_stopping(request));
  SOTTO_TRY_DONE(check_average(request));
  if (request.cutoffs.empty()) return fail(Code::usage, "no cut-offs given: try --cutoffs 10");
  for (const std::uint32_t k : request.cutoffs)
    if (k > most_cutoff)
      return fail(Code::usage,
                  fmt::format("a cut-off of {} is longer than any list: give at most {}", k, most_cutoff));
  for (const std::uint32_t k : request.cutoffs)
    if (k == 0)
      return fail(Code::usage,
                  "a cut-off of 0 makes empty lists: give numbers from 1 up, such as --cutoffs 1,10");
  return Done{};
}

}  // namespace sotto::engine
