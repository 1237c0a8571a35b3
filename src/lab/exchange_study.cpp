#include "lab/exchange_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "fed/messages.h"
#include "fed/wire/packed_contribution.h"
#include "fed/wire/published_model.h"
#include "metrics/evaluate.h"
#include "model/mf_recommender.h"
#include "sim/federation.h"

namespace sotto::lab {

namespace {

constexpr ModelPrecision all_precisions[] = {ModelPrecision::f32, ModelPrecision::f16, ModelPrecision::i8};

// Weighs every contribution that goes to the sum.
class Scales final : public Collector {
 public:
  explicit Scales(SumShape shape) : sum_(shape) {}

  [[nodiscard]] Status begin(const RoundPlace& place) override {
    round_ = place.round;
    return sum_.begin(place);
  }
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override {
    const ContributionMessage message{.round = round_, .contribution = contribution};
    ++contributions_;
    rows_ += contribution.size();
    packed_bytes_ += pack_contribution(message).size();
    return sum_.accept(user, contribution);
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override { return sum_.finish(total); }

  [[nodiscard]] double mean_rows() const { return mean_of(rows_); }
  [[nodiscard]] double mean_packed() const { return mean_of(packed_bytes_); }

 private:
  [[nodiscard]] double mean_of(std::uint64_t total) const {
    return static_cast<double>(total) / static_cast<double>(std::max<std::uint64_t>(contributions_, 1));
  }

  PlainCollector sum_;
  std::uint32_t round_ = 0;
  std::uint64_t contributions_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t packed_bytes_ = 0;
};

// One cohort size, through all precisions.
class CohortStudy {
 public:
  CohortStudy(const ExchangeRequest& request, double cohort, const Split& split, Executor& executor,
              const ExchangeHooks& hooks)
      : request_(request), plan_(request.plan), split_(split), executor_(executor), hooks_(hooks) {
    plan_.cohort = cohort;
  }

  [[nodiscard]] Result<CohortFigures> run();

 private:
  using Fleet = FplFederation;
  [[nodiscard]] Fleet start(const Plan& plan) const {
    return {Fpl(plan.fpl, split_.catalogue, plan.seed), plan, figures_.schedule, split_.train, executor_};
  }
  // Goes on to a round.
  [[nodiscard]] Status advance(Fleet& fleet, std::uint32_t round) const;
  [[nodiscard]] std::set<std::uint32_t> sampled() const;
  [[nodiscard]] Result<PrecisionFigures> measure(ModelPrecision precision);
  // Trains to the end, looking at the sampled rounds.
  [[nodiscard]] Status weigh(Fleet& fleet, const Plan& plan, PrecisionFigures& figures);
  void weigh_version(const std::map<std::uint32_t, std::string>& versions, std::uint32_t round,
                     const ModelShape& shape, PrecisionFigures& figures) const;
  [[nodiscard]] Result<double> quality(const Fleet& fleet, ModelPrecision precision) const;

  const ExchangeRequest& request_;
  Plan plan_;
  const Split& split_;
  Executor& executor_;
  const ExchangeHooks& hooks_;
  CohortFigures figures_;
  double mean_rows_ = 0.0;  // of a contribution
};

Status CohortStudy::advance(Fleet& fleet, std::uint32_t round) const {
  constexpr std::uint32_t rounds_at_once = 50;
  while (fleet.state().round < round) {
    if (hooks_.stop != nullptr && hooks_.stop->load()) return fail(Code::cancelled, "stopped");
    SOTTO_TRY([[maybe_unused]] const RoundReport report,
              fleet.run(std::min(rounds_at_once, round - fleet.state().round)));
  }
  return Done{};
}

std::set<std::uint32_t> CohortStudy::sampled() const {
  const std::uint64_t last = figures_.schedule.rounds - 1;
  const std::uint64_t first = std::min<std::uint64_t>(figures_.rounds_between, last);
  std::set<std::uint32_t> rounds;
  for (std::uint64_t n = 1; n <= request_.samples; ++n)
    rounds.insert(static_cast<std::uint32_t>(first + (last - first) * n / request_.samples));
  return rounds;
}

void CohortStudy::weigh_version(const std::map<std::uint32_t, std::string>& versions, std::uint32_t round,
                                const ModelShape& shape, PrecisionFigures& figures) const {
  const std::string& now = versions.at(round);
  const auto packed = static_cast<double>(pack_model(now).size());
  const auto delta = [&](std::uint32_t ago) {
    if (ago > round) return packed;  // there was none: it comes in full
    return static_cast<double>(make_delta(versions.at(round - ago), now, shape).size());
  };
  figures.whole += static_cast<double>(now.size());
  figures.packed += packed;
  figures.from_last += delta(1);
  figures.from_visit += delta(figures_.rounds_between);
}

Status CohortStudy::weigh(Fleet& fleet, const Plan& plan, PrecisionFigures& figures) {
  const std::set<std::uint32_t> rounds = sampled();
  std::set<std::uint32_t> stops = rounds;
  for (const std::uint32_t round : rounds)
    for (const std::uint32_t ago : {1u, figures_.rounds_between})
      if (ago <= round) stops.insert(round - ago);
  const ModelShape shape{split_.catalogue, plan.fpl.factors + std::size_t{1}, wire_precision(plan.down)};
  Scales scales({shape.rows, shape.width});
  Fleet probe = start(plan);  // plays the round once more, so that it can be looked into
  probe.collect_with(scales);
  std::map<std::uint32_t, std::string> versions;
  for (const std::uint32_t stop : stops) {
    SOTTO_TRY_DONE(advance(fleet, stop));
    versions[stop] = publish(fleet.state().shared, shape.precision);
    if (!rounds.contains(stop)) continue;
    weigh_version(versions, stop, shape, figures);
    probe.restore(fleet.state());
    SOTTO_TRY([[maybe_unused]] const RoundReport report, probe.run(1));
  }
  for (double* sum : {&figures.whole, &figures.packed, &figures.from_last, &figures.from_visit})
    *sum /= static_cast<double>(rounds.size());
  mean_rows_ = scales.mean_rows();
  const double row_bytes = static_cast<double>(encoded_contribution_bytes(0, 1, shape.width));
  figures.up = static_cast<double>(encoded_contribution_bytes(1, 0, shape.width)) + mean_rows_ * row_bytes;
  figures.up_packed = scales.mean_packed();
  return Done{};
}

Result<double> CohortStudy::quality(const Fleet& fleet, ModelPrecision precision) const {
  const MfRecommender model(&fleet.state().devices.on_device(),
                            as_published(fleet.state().shared, wire_precision(precision)), {});
  EvaluateOptions options;
  options.cutoffs = {request_.cutoff};
  SOTTO_TRY(const Evaluation evaluation, evaluate(model, split_, options, executor_));
  return evaluation.find(fmt::format("P@{}", request_.cutoff)).value_or(0.0);
}

Result<PrecisionFigures> CohortStudy::measure(ModelPrecision precision) {
  PrecisionFigures figures{.precision = precision};
  for (std::uint32_t seed = 0; seed < request_.seeds; ++seed) {
    Plan plan = plan_;
    plan.seed += seed;
    plan.down = precision;
    if (hooks_.on_run)
      hooks_.on_run(
          fmt::format("cohort {}, {}, seed {}", figures_.schedule.cohort, to_string(precision), plan.seed));
    Fleet fleet = start(plan);
    if (seed == 0) SOTTO_TRY_DONE(weigh(fleet, plan, figures));
    SOTTO_TRY_DONE(advance(fleet, static_cast<std::uint32_t>(figures_.schedule.rounds)));
    SOTTO_TRY(const double reached, quality(fleet, precision));
    figures.quality += reached / request_.seeds;
  }
  return figures;
}

Result<CohortFigures> CohortStudy::run() {
  const std::size_t users = eligible_users(split_.train, split_.catalogue).size();
  SOTTO_TRY(figures_.schedule, schedule_for(plan_, users, split_.train.interactions()));
  const Schedule& schedule = figures_.schedule;
  figures_.rounds_between =
      std::max<std::uint32_t>((static_cast<std::uint32_t>(users) + schedule.cohort / 2) / schedule.cohort, 1);
  for (const ModelPrecision precision : all_precisions) {
    SOTTO_TRY(const PrecisionFigures measured, measure(precision));
    figures_.precisions.push_back(measured);
  }
  const std::size_t width = plan_.fpl.factors + std::size_t{1};
  figures_.naive = static_cast<double>(encoded_model_bytes(split_.catalogue, width)) +
                   figures_.precisions.front().up;  // a float is as long as an integer
  figures_.estimate = (static_cast<double>(split_.catalogue) + schedule.triples * (1.0 + plan_.consent.pi)) *
                      static_cast<double>(width * sizeof(float));
  return figures_;
}

}  // namespace

Status check(const ExchangeRequest& request) {
  if (request.seeds == 0 || request.samples == 0 || request.cutoff == 0)
    return fail(Code::usage,
                "seeds, samples and the cut-off are at least 1: leave --seeds and --samples out");
  for (const double cohort : request.cohorts)
    if (!(cohort >= 0.0 && cohort <= 1.0))
      return fail(Code::usage,
                  fmt::format("a cohort of {} is no share of the users: give numbers from 0 (one "
                              "user a round) to 1 (everybody)",
                              cohort));
  return Done{};
}

Result<std::vector<CohortFigures>> run_exchange_study(const ExchangeRequest& request, const Split& split,
                                                      Executor& executor, const ExchangeHooks& hooks) {
  SOTTO_TRY_DONE(check(request));
  std::vector<double> cohorts = request.cohorts;
  if (cohorts.empty()) cohorts.push_back(request.plan.cohort);
  std::vector<CohortFigures> all;
  for (const double cohort : cohorts) {
    SOTTO_TRY(CohortFigures figures, CohortStudy(request, cohort, split, executor, hooks).run());
    all.push_back(std::move(figures));
  }
  return all;
}

}  // namespace sotto::lab
