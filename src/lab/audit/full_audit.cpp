#include "lab/audit/full_audit.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "fed/dp_sum.h"

namespace sotto::lab {

namespace {

// People attacked for one point of a curve: a curve needs many points more than narrow intervals.
constexpr std::uint32_t people_of_a_point = 200;
constexpr double least_control_f1 = 0.95;
constexpr double rounding = 1e-9;
constexpr double least_chance = 0.05;  // below it chance is no explanation
// Canaries are played thousands of times: as the plan is, but for this much.
constexpr std::uint64_t most_canary_rounds = 20;
constexpr std::uint64_t most_canary_devices = 10;

std::string gain_words(const AuditSummary::LargestGain& largest) {
  if (largest.chance >= 1.0) return "no gain that stands out";
  return fmt::format("largest gain: {} {:+.4f} ({:+.4f} to {:+.4f}); the chance of such a one is {:.2f}",
                     largest.what, largest.gain.mean, largest.gain.range.low, largest.gain.range.high,
                     largest.chance);
}

class Runner {
 public:
  Runner(const FullAudit& asked, const Split& split, Executor& executor, const FullAuditHooks& hooks)
      : asked_(asked), split_(split), executor_(executor), hooks_(hooks) {}

  Result<AuditSummary> run(const AuditRequest& request, const std::string& part) {
    say(part);
    SOTTO_TRY_DONE(check(request));
    std::vector<AuditRun> seeds;
    for (std::uint32_t n = 0; n < request.seeds; ++n) {
      AuditRequest one = request;
      one.seeds = request.seeds - n;
      if (n > 0) one.record.clear(), one.looks = false;
      SOTTO_TRY(AuditRun run, audit_plan(one, split_, request.train.plan.seed + n, executor_, hooks_.audit));
      seeds.push_back(std::move(run));
    }
    return summarise(seeds, executor_);
  }

  // The plan that was asked for, as a control or a point: bare of what belongs to the main run.
  [[nodiscard]] AuditRequest bare() const {
    AuditRequest request = asked_.request;
    request.view = {};
    request.train.criteria = {};
    request.noise.multiplier = 0.0;
    request.local = request.looks = request.keep_groups = false;
    request.silent = 0.0;
    request.record.clear();
    return request;
  }

  Result<AuditControl> attack_works() {
    if (kgflex()) return rows_are_the_profile();
    AuditRequest request = bare();
    request.train.plan.consent = {.pi = 0.0};
    request.train.consent = {};
    request.attack.attackers = {Attacker::match, Attacker::absence};
    SOTTO_TRY(const AuditSummary summary, run(request, "control: the attack works"));
    const Estimate& f1 = summary.of(Attacker::match)->alone.f1;
    return AuditControl{"The attack works: single messages, no positive update sent (plain, π = 0)",
                        fmt::format("A3 finds at least {:.0f}% of a history (F1 ≥ {})",
                                    100.0 * least_control_f1, least_control_f1),
                        fmt::format("F1 {:.3f} ({:.3f} to {:.3f})", f1.mean, f1.range.low, f1.range.high),
                        f1.mean >= least_control_f1};
  }

  // A KGFlex device sends rows of its profile alone: who reads them names no feature wrongly.
  Result<AuditControl> rows_are_the_profile() {
    AuditRequest request = bare();
    request.train.plan.consent = {};
    request.train.consent = {};
    request.attack.attackers = {Attacker::feature_presence};
    SOTTO_TRY(const AuditSummary summary, run(request, "control: the attack works"));
    const double named = summary.features.back().alone.named.mean, sent = summary.sent.mean;
    return AuditControl{"The attack works: the rows of single messages are features of the profile (plain)",
                        "B1 surely names every feature whose row was seen",
                        fmt::format("seen {:.1f}% of a profile, named {:.1f}%", 100.0 * sent, 100.0 * named),
                        sent > 0.0 && named >= sent * (1.0 - rounding)};
  }

  Result<AuditControl> null_gains_nothing() {
    AuditRequest request = bare();
    request.random_messages = true;
    SOTTO_TRY(const AuditSummary summary, run(request, "control: random messages"));
    const AuditSummary::LargestGain largest = summary.largest_gain();
    return AuditControl{"Nothing comes from nothing: random messages instead of the true ones",
                        "no attacker gains on A0 more than chance explains (95%, all figures together)",
                        gain_words(largest), largest.chance >= least_chance};
  }

  // Where all sums are of the same people, nothing in them may seem to be about one of them.
  Result<AuditControl> one_sum_hides() {
    AuditRequest request = bare();
    request.view = {.view = View::secure};
    SOTTO_TRY(const AuditSummary summary, run(request, "control: one secure sum"));
    return AuditControl{"One sum over everybody: a secure sum a round, nobody missing",
                        "no attacker gains on A0 (every interval reaches down to 0)",
                        gain_words(summary.largest_gain()), summary.shows_no_leak()};
  }

  Status add_controls(AuditReport& report) {
    SOTTO_TRY(AuditControl works, attack_works());
    report.controls.push_back(std::move(works));
    SOTTO_TRY(AuditControl null, null_gains_nothing());
    report.controls.push_back(std::move(null));
    if (controls() == 2) return Done{};
    SOTTO_TRY(AuditControl sum, one_sum_hides());
    report.controls.push_back(std::move(sum));
    return Done{};
  }

  // A point of a curve that is yet to be measured.
  struct Planned {
    AuditRequest request;
    double x = 0.0;
    std::string series;
    std::string part;
    std::vector<AuditPoint> AuditReport::*curve = nullptr;
  };

  void plan_pi(std::vector<Planned>& points) const {
    for (const MaskKind mask : {MaskKind::sticky, MaskKind::round, MaskKind::redraw})
      for (const double pi : {0.0, 0.1, 0.3, 0.6, 1.0}) {
        AuditRequest request = bare();
        request.train.plan.consent = {pi, mask};
        request.train.consent = {};
        points.push_back({request, pi, to_string(mask), fmt::format("π = {}, {}", pi, to_string(mask)),
                          &AuditReport::over_pi});
      }
  }

  void plan_epsilon(std::vector<Planned>& points, std::uint64_t rounds) const {
    for (const bool secure : {false, true})
      for (const double multiplier : {0.3, 1.0, 3.0, 8.0, 16.0}) {
        AuditRequest request = bare();
        request.noise.multiplier = multiplier;
        if (!fits_the_sum(request)) continue;
        request.local = !secure;
        if (secure) request.view = {.view = View::secure, .group = asked_.request.view.group, .noisy = true};
        const std::string series = secure ? "noise inside a secure sum" : "noise on single messages";
        points.push_back({request, epsilon_of(request, rounds), series,
                          fmt::format("σ = {}, {}", multiplier, series), &AuditReport::over_epsilon});
      }
  }

  // Sums over few people still tell about each: from how many on does it no longer show?
  void plan_groups(std::vector<Planned>& points, std::size_t cohort) const {
    for (const bool keep : {false, true})
      for (const std::uint32_t group : {2u, 5u, 10u, 20u, 50u, 100u, 200u, 400u, 0u}) {
        if (group >= cohort) continue;
        AuditRequest request = bare();
        request.view = {.view = View::secure, .group = group};
        request.keep_groups = keep;
        const std::size_t devices = group == 0 ? cohort : group;
        const std::string series = keep ? "the same groups in every round" : "groups dealt anew";
        points.push_back({request, static_cast<double>(devices), series,
                          fmt::format("sums over {}, {}", devices, series), &AuditReport::over_group});
      }
  }

  // Who falls silent is missing in a sum, and everybody sees who.
  void plan_silent(std::vector<Planned>& points, std::size_t cohort) const {
    for (const double pi : {1.0, 0.1})
      for (const double silent : {0.0, 0.02, 0.05, 0.1, 0.2, 0.3}) {
        AuditRequest request = bare();
        request.view = {.view = View::secure};
        request.silent = silent;
        if (silent > 0.0 && silent_devices(request, cohort) == 0) continue;  // it would be the first again
        request.train.plan.consent = {.pi = pi, .mask = MaskKind::sticky};
        request.train.consent = {};
        const std::string series = fmt::format("π = {}", pi);
        points.push_back({request, silent, series, fmt::format("{:.0f}% silent, {}", 100.0 * silent, series),
                          &AuditReport::over_silent});
      }
  }

  Result<std::vector<Planned>> curves() const {
    SOTTO_TRY(const Schedule schedule, audit_schedule(asked_.request, split_));
    std::vector<Planned> points;
    plan_pi(points);
    plan_epsilon(points, schedule.rounds);
    plan_groups(points, schedule.cohort);
    plan_silent(points, schedule.cohort);
    for (Planned& point : points) {
      std::uint32_t& people = point.request.attack.people;
      people = people == 0 ? people_of_a_point : std::min(people, people_of_a_point);
      point.request.seeds = 1;
      if (kgflex())
        point.request.attack.attackers.assign(every_feature_attacker.begin(), every_feature_attacker.end());
      else
        point.request.attack.attackers = {Attacker::bias_sum, Attacker::absence, Attacker::match,
                                          Attacker::shadow, Attacker::difference};
    }
    return points;
  }

  Status add_curves(const std::vector<Planned>& points, AuditReport& report) {
    for (const Planned& point : points) {
      SOTTO_TRY(AuditSummary summary, run(point.request, point.part));
      (report.*point.curve).push_back({point.x, point.series, std::move(summary)});
    }
    return Done{};
  }

  // How many parts there will be, for who waits.
  void expect(std::size_t parts) { parts_ = parts; }
  [[nodiscard]] std::size_t controls() const { return everybody_in_every_round(bare()) ? 3 : 2; }

  Result<CanaryRequest> canaries() const {
    SOTTO_TRY(const Schedule schedule, audit_schedule(asked_.request, split_));
    const AuditRequest& audit = asked_.request;
    const std::uint64_t group = audit.view.group == 0 ? schedule.cohort : audit.view.group;
    CanaryRequest request;
    request.noise = audit.noise;
    request.place = audit.local ? DpPlace::local : DpPlace::distributed;
    request.devices = audit.local ? 1 : static_cast<std::uint32_t>(std::min(group, most_canary_devices));
    request.rounds = static_cast<std::uint32_t>(std::min<std::uint64_t>(schedule.rounds, most_canary_rounds));
    request.trials = asked_.canaries;
    request.fixed_bits = audit.train.plan.fixed.bits;
    request.seed = audit.train.plan.seed;
    SOTTO_TRY_DONE(check(request));
    return request;
  }

  Status add_canaries(AuditReport& report) {
    say("canaries");
    SOTTO_TRY(const CanaryRequest request, canaries());
    const double promised = epsilon_of(asked_.request, request.rounds);
    SOTTO_TRY(report.canaries, play_canaries(request, promised, executor_));
    return Done{};
  }

 private:
  void say(const std::string& part) {
    ++part_;
    if (hooks_.on_part) hooks_.on_part(parts_ > 1 ? fmt::format("{} of {}: {}", part_, parts_, part) : part);
  }
  static bool fits_the_sum(const AuditRequest& request) {
    const double unit = double{request.train.plan.fixed.scale()};
    return check(dp_sum_plan({request.noise.clip, request.noise.multiplier, unit})).ok();
  }
  [[nodiscard]] bool kgflex() const { return seen_model(asked_.request) == SeenModel::kgflex; }

  const FullAudit& asked_;
  const Split& split_;
  Executor& executor_;
  const FullAuditHooks& hooks_;
  std::size_t part_ = 0;
  std::size_t parts_ = 1;
};

}  // namespace

Result<AuditReport> run_full_audit(const FullAudit& asked, const Split& split, Executor& executor,
                                   const FullAuditHooks& hooks) {
  SOTTO_TRY_DONE(check(asked.request));
  Runner runner(asked, split, executor, hooks);
  // Told before the long work.
  if (asked.canaries > 0)
    if (const auto canaries = runner.canaries(); !canaries.ok()) return canaries.error();
  std::vector<Runner::Planned> points;
  if (asked.curves) {
    SOTTO_TRY(points, runner.curves());
  }
  runner.expect(1 + (asked.controls ? runner.controls() : 0) + points.size() + (asked.canaries > 0 ? 1 : 0));
  AuditReport report;
  report.request = asked.request;
  report.data = asked.data;
  SOTTO_TRY(report.main, runner.run(asked.request, "the plan"));
  if (asked.request.noise.multiplier > 0.0) report.epsilon = epsilon_of(asked.request, report.main.rounds);
  if (asked.controls) SOTTO_TRY_DONE(runner.add_controls(report));
  SOTTO_TRY_DONE(runner.add_curves(points, report));
  if (asked.canaries > 0) SOTTO_TRY_DONE(runner.add_canaries(report));
  return report;
}

}  // namespace sotto::lab
