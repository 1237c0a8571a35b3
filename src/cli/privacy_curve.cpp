// sotto privacy curve: what a model is worth at several ε, beside Top-Pop and the same plan without noise.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/command.h"
#include "cli/field_flags.h"
#include "cli/train_flags.h"
#include "cli/values.h"
#include "engine/files/files.h"
#include "engine/plan/prepare.h"
#include "engine/plan/shared_fields.h"
#include "engine/plan/toml.h"
#include "engine/protect/lambda_choice.h"
#include "engine/terminal/interrupt.h"
#include "engine/terminal/table.h"
#include "engine/train/training.h"
#include "lab/report/page.h"
#include "lab/reproduce/paper_entry.h"
#include "metrics/evaluate.h"
#include "metrics/metric_name.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct CurveOptions {
  CommonOptions common;
  FieldFlags data;
  FieldFlags request;
  std::string plan_file;
  std::vector<double> epsilons{1.0, 2.0, 4.0, 8.0};
  std::uint32_t seeds = 3;
  std::string metric = "P@10";
  std::string out;
};

struct NoisePoint {
  double epsilon = 0.0;  // as asked for
  PrivacySpent spent;
  std::vector<double> values;  // one a seed
  std::vector<float> lambdas;  // that were chosen, likewise; none: it was given
  [[nodiscard]] double mean() const {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  [[nodiscard]] double least() const { return *std::min_element(values.begin(), values.end()); }
  [[nodiscard]] double most() const { return *std::max_element(values.begin(), values.end()); }
};

struct NoiseCurve {
  std::string metric;
  std::string model;
  std::string baseline;  // what everything must beat
  std::uint64_t people = 0;
  double popular = 0.0;  // Top-Pop
  double open = 0.0;     // the plan without noise
  std::vector<NoisePoint> points;
};

struct Measured {
  double value = 0.0;
  std::optional<PrivacySpent> spent;
};

Result<Measured> measure(const TrainRequest& request, const Split& split, const std::string& metric,
                         Executor& executor, const InterruptGuard& guard) {
  TrainHooks hooks;
  hooks.stop = &guard.stop();
  SOTTO_TRY(const Trained trained, train(request, split, executor, hooks));
  SOTTO_TRY(const Evaluation evaluation,
            evaluate(*trained.model, split, evaluate_options(request, split, Part::test), executor));
  const std::optional<double> value = evaluation.find(metric);
  if (!value) return fail(Code::usage, fmt::format("there is no metric '{}': try P@10", metric));
  return Measured{*value, trained.privacy};
}

// One of papers/noise_curve.toml.
Result<TrainRequest> stored_plan(const char* name) {
  return from_table(*paper_document("noise_curve.toml")[name].as_table(), "papers/noise_curve.toml");
}

// The plan, or the one that does best where noise is large: EASE of two sums.
Result<TrainRequest> base_request(const CurveOptions& options) {
  SOTTO_TRY(TrainRequest request, stored_plan("plan"));
  if (!options.plan_file.empty()) {
    SOTTO_TRY(const std::string text, read_text(options.plan_file));
    SOTTO_TRY(request, from_toml(text, options.plan_file));
  }
  SOTTO_TRY_DONE(apply(options.data, request.data));
  SOTTO_TRY_DONE(apply(options.request, request, true));
  if (options.common.seed_given) request.plan.seed = options.common.seed;
  if (!request.dp.asked()) request.dp.place = "central";
  if (!request.dp.budget.empty())
    return fail(Code::usage, "a curve is an experiment on known data: leave --dp-budget out");
  if (request.dp.epsilon || request.dp.noise)
    return fail(Code::usage, "a curve goes through several epsilons: give them as --epsilon 1,2,4,8");
  return request;
}

Result<NoiseCurve> curve_of(const CurveOptions& options, const Console& console) {
  if (options.seeds == 0 || options.seeds > 100)
    return fail(Code::usage, "--seeds is a number from 1 to 100");
  SOTTO_TRY(TrainRequest request, base_request(options));
  TrainRequest popular = request, open = request;
  popular.dp = open.dp = {};
  // Candidates stand in for the lambda of the usual plan; without noise it has that one.
  if (request.dp.chooses() && options.plan_file.empty()) request.lambda.reset();
  SOTTO_TRY(const TrainRequest baseline, stored_plan("popular"));
  popular = with_model(std::move(popular), baseline.model.entry());
  for (const double epsilon : options.epsilons) {  // all are checked before the first is trained
    TrainRequest one = request;
    one.dp.epsilon = epsilon;
    SOTTO_TRY_DONE(settle(one));
  }
  SOTTO_TRY_DONE(settle(popular));
  SOTTO_TRY_DONE(settle(open));
  SOTTO_TRY(const Prepared prepared, prepare(request.data));
  const Split& split = prepared.split;
  ThreadPool threads(options.common.threads);
  const InterruptGuard guard;
  NoiseCurve curve{.metric = options.metric,
                   .model = request.model->name,
                   .baseline = popular.model->name,
                   .people = split.train.users(),
                   .points = {}};
  // Where nothing is chosen nothing is held back.
  Split whole = split;
  if (request.dp.chooses())
    whole.train = whole_histories(split), whole.validation = Histories(split.users.size());
  SOTTO_TRY(const Measured least, measure(popular, whole, options.metric, threads, guard));
  SOTTO_TRY(const Measured best, measure(open, whole, options.metric, threads, guard));
  curve.popular = least.value;
  curve.open = best.value;
  for (const double epsilon : options.epsilons) {
    NoisePoint point{.epsilon = epsilon, .spent = {}, .values = {}, .lambdas = {}};
    for (std::uint32_t seed = 0; seed < options.seeds; ++seed) {
      TrainRequest one = request;
      one.dp.epsilon = epsilon;
      one.plan.seed = request.plan.seed + seed;
      SOTTO_TRY_DONE(settle(one));
      SOTTO_TRY(const Measured measured, measure(one, split, options.metric, threads, guard));
      point.values.push_back(measured.value);
      point.spent = *measured.spent;
      if (point.spent.choice) point.lambdas.push_back(point.spent.choice->lambda);
    }
    if (!options.common.json)
      console.note(fmt::format("epsilon {:g}: {} {:.4f}", epsilon, curve.metric, point.mean()));
    curve.points.push_back(std::move(point));
  }
  return curve;
}

nlohmann::json json_of(const NoiseCurve& curve) {
  nlohmann::json document{{"metric", curve.metric},      {"model", curve.model},
                          {"people", curve.people},      {curve.baseline, curve.popular},
                          {"without_noise", curve.open}, {"points", nlohmann::json::array()}};
  for (const NoisePoint& point : curve.points) {
    document["points"].push_back({{"epsilon", point.epsilon},
                                  {"spent", point.spent.epsilon},
                                  {"delta", point.spent.delta},
                                  {"noise", point.spent.noise},
                                  {"mean", point.mean()},
                                  {"values", point.values}});
    if (!point.lambdas.empty()) document["points"].back()["lambdas"] = point.lambdas;
  }
  return document;
}

Page page_of(const NoiseCurve& curve, const std::string& command) {
  ChartSeries measured{.name = curve.model, .points = {}, .spread = PointSpread::bars};
  ChartSeries popular{.name = "Top-Pop", .points = {}, .marks = false};
  ChartSeries open{.name = "without noise", .points = {}, .marks = false};
  PageTable table{.caption = "Means over seeds; the range is from the worst seed to the best",
                  .columns = {{"epsilon", true}, {"noise", true}, {curve.metric, true}, {"range"}},
                  .rows = {}};
  for (const NoisePoint& point : curve.points) {
    measured.points.push_back(
        {.x = point.epsilon, .y = point.mean(), .range = Interval{point.least(), point.most()}});
    popular.points.push_back({.x = point.epsilon, .y = curve.popular});
    open.points.push_back({.x = point.epsilon, .y = curve.open});
    table.rows.push_back({{fmt::format("{:g}", point.epsilon), point.epsilon},
                          {fmt::format("{:.4g}", point.spent.noise), point.spent.noise},
                          {fmt::format("{:.4f}", point.mean()), point.mean()},
                          {fmt::format("{:.4f} to {:.4f}", point.least(), point.most())}});
  }
  table.rows.push_back({{"Top-Pop"}, {"–"}, {fmt::format("{:.4f}", curve.popular), curve.popular}, {"–"}});
  table.rows.push_back({{"without noise"}, {"0"}, {fmt::format("{:.4f}", curve.open), curve.open}, {"–"}});
  const XyChart chart{
      .head = {.name = "quality-by-epsilon",
               .title = fmt::format("{} by epsilon", curve.metric),
               .caption = "More privacy, to the left, costs quality; the lower line is what the "
                          "same list for everybody gives."},
      .x = {.label = "epsilon", .scale = ScaleKind::log},
      .y = {.label = curve.metric},
      .series = {measured, open, popular}};
  const bool chosen = !curve.points.empty() && curve.points.front().spent.choice.has_value();
  return {.title = "Quality under differential privacy",
          .summary = {fmt::format(
              "{} of {} on {} people at delta {:g}; Top-Pop gives {:.4f}, the same plan "
              "without noise {:.4f}. {} not chosen privately.",
              curve.metric, curve.model, human_count(curve.people),
              curve.points.empty() ? 0.0 : curve.points.front().spent.delta, curve.popular, curve.open,
              chosen ? "Lambda was chosen privately at each point, and paid for; the other "
                       "settings were"
                     : "Settings were")},
          .sections = {{"The curve", {Chart(chart), table}},
                       {"How this was made", {PageListing{"The command", command}}}}};
}

Status show_curve(CurveOptions& options, const Console& console) {
  if (!options.out.empty() && !std::filesystem::path(options.out).has_extension())
    return fail(Code::usage, fmt::format("--out: '{0}' has no ending: write '{0}.html'", options.out));
  SOTTO_TRY(const NoiseCurve curve, curve_of(options, console));
  if (!options.out.empty()) {
    SOTTO_TRY(const auto written, write_page(page_of(curve, console.typed()), options.out));
    console.note(fmt::format("sotto: {} holds the page", written.back().string()));
  }
  if (options.common.json) {
    print_json(console, json_of(curve));
    return Done{};
  }
  Table table({{"epsilon", Align::right},
               {"noise", Align::right},
               {curve.metric, Align::right},
               {"worst to best seed", Align::right}});
  for (const NoisePoint& point : curve.points)
    table.row({fmt::format("{:g}", point.epsilon), fmt::format("{:.4g}", point.spent.noise),
               fmt::format("{:.4f}", point.mean()),
               fmt::format("{:.4f} to {:.4f}", point.least(), point.most())});
  table.row({"none", "0", fmt::format("{:.4f}", curve.open), ""});
  table.row({"Top-Pop", "", fmt::format("{:.4f}", curve.popular), ""});
  console.print(table.text(console));
  return Done{};
}

}  // namespace

void add_privacy_curve(CLI::App& privacy, Cli& cli) {
  auto [app, options] = add_command<CurveOptions>(privacy, cli, "curve",
                                                  "the quality of a model at several epsilons", show_curve);
  add_field_flags(*app, options->data, fields::data_fields());
  add_field_flags(
      *app, options->request,
      fields_of([](const ModelEntry& entry) { return entry.has("dp.place"); }, {"Differential privacy"}));
  app->add_option("--plan", options->plan_file, "a TOML plan; default fedease with lambda 100 and recency 10")
      ->type_name("FILE");
  add_list(*app, "--epsilon", options->epsilons, "epsilons to spend in total, one point each")
      ->default_str("1,2,4,8");
  app->add_option("--seeds", options->seeds, "seeds per point")->default_str("3");
  values(app->add_option("--metric", options->metric, "the figure to show"), metric_names(usual_cutoffs))
      ->type_name("NAME")
      ->default_str("P@10");
  app->add_option("-o,--out", options->out, "a page with table and plot")->type_name("FILE");
  add_common_options(*app, options->common, "the first seed of each point");
  app->footer(
      examples({"sotto privacy curve --data ratings.tsv --min-user 20 --out curve.html",
                "sotto privacy curve --data ratings.tsv --epsilon 1,8 --seeds 1 --json",
                "sotto privacy curve --data ratings.tsv --validation 0.05 --dp-lambdas 30,100,300,1000"}));
}

}  // namespace sotto::cli
