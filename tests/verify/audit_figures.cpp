#include "tests/verify/audit_figures.h"

#include <algorithm>

#include "engine/plan/prepare.h"
#include "lab/audit/full_audit.h"
#include "sim/thread_pool.h"

namespace sotto::tests {

namespace {

const std::string data = "movielens-100k/u.data.zst";
constexpr double any = 1e300;

class AuditFigures {
 public:
  AuditFigures(const std::string& folder, bool quick, const std::function<void(const MeasuredFigure&)>& tell)
      : quick_(quick), tell_(tell) {
    request_.train.data.paths = {folder + "/" + data};
    request_.train.data.filter.min_user = 20;
    static_cast<void>(set_variant(request_.train.plan, "pfpl+").ok());
    request_.train.plan.fpl.factors = 20;
    request_.train.plan.epochs = 30;
    request_.attack.people = quick ? 100 : 400;
  }

  Status measure() {
    SOTTO_TRY_DONE(settle(request_.train));
    SOTTO_TRY(const Prepared prepared, prepare(request_.train.data));
    split_ = &prepared.split;
    SOTTO_TRY_DONE(single_messages());
    SOTTO_TRY_DONE(null_control());
    SOTTO_TRY_DONE(masks());
    if (!quick_) SOTTO_TRY_DONE(secure_sums());
    return canaries();
  }

 private:
  Result<AuditSummary> audited(const AuditRequest& request) {
    SOTTO_TRY(const AuditRun run, audit_plan(request, *split_, request.train.plan.seed, pool_, {}));
    return summarise({run}, pool_);
  }
  void tell(const std::string& name, const std::string& metric, double value, double low, double high) {
    tell_({data, name, metric, value, low, high, ""});
  }

  // privacy.md, points 1 and 3.
  Status single_messages() {
    AuditRequest request = request_;
    request.train.plan.consent.pi = 0.0;
    request.attack.attackers = {Attacker::absence, Attacker::match};
    SOTTO_TRY(const AuditSummary summary, audited(request));
    tell("audit, plain, pi=0: A3 reads the history", "F1", summary.of(Attacker::match)->alone.f1.mean, .95,
         1.0);
    tell("audit, plain, pi=0: absence (printed .90)", "AUC", summary.of(Attacker::absence)->alone.auc.mean,
         .88, .92);
    tell("audit, plain, pi=0: with popularity (.97)", "AUC", summary.of(Attacker::absence)->informed.auc.mean,
         .96, .99);
    return Done{};
  }

  Status null_control() {
    AuditRequest request = request_;
    request.random_messages = true;
    SOTTO_TRY(const AuditSummary summary, audited(request));
    tell("audit, random messages: nobody gains on A0", "held", summary.shows_no_leak() ? 1.0 : 0.0, 1.0, 1.0);
    return Done{};
  }

  // privacy.md, point 2: what A1 counts after 30 epochs.
  Status masks() {
    AuditRequest request = request_;
    request.attack.attackers = {Attacker::bias_sum};
    request.attack.people = 0;
    request.train.plan.consent = {0.1, MaskKind::sticky};
    SOTTO_TRY(const AuditSummary sticky, audited(request));
    tell("audit, plain, sticky pi=.1: positives sent", "share", sticky.sent.mean, .09, .11);
    request.train.plan.consent.mask = MaskKind::redraw;
    SOTTO_TRY(const AuditSummary redraw, audited(request));
    tell("audit, plain, redraw pi=.1: positives sent", "share", redraw.sent.mean, .85, 1.0);
    return Done{};
  }

  // One sum over the whole cohort, of at least 50, hides everybody, and the model is the plain one's. It
  // tells next to nothing where devices fall silent; sums over 50 at a time, dealt anew in every round, do
  // not hide.
  Status secure_sums() {
    AuditRequest request = request_;
    request.attack.people = 0;
    SOTTO_TRY(const AuditRun plain, audit_plan(only_counts(request), *split_, 1, pool_, {}));
    request.view = {.view = View::secure, .least = 50};
    SOTTO_TRY(const AuditRun run, audit_plan(request, *split_, 1, pool_, {}));
    tell("audit, secure sum of the cohort: no gain", "held",
         summarise({run}, pool_).shows_no_leak() ? 1.0 : 0.0, 1.0, 1.0);
    tell("audit, secure sum: the plain model's bytes", "held", run.model_hash == plain.model_hash ? 1.0 : 0.0,
         1.0, 1.0);
    request.silent = 0.05;
    SOTTO_TRY(const AuditSummary silent, audited(request));
    tell("audit, secure sum, 5% silent: the best gain", "AUC", best_gain(silent), -.001, .001);
    request.silent = 0.0;
    request.view = {.view = View::secure, .group = 50};
    SOTTO_TRY(const AuditSummary small, audited(request));
    tell("audit, sums over 50, dealt anew: A6's gain", "AUC",
         small.of(Attacker::difference)->advantage.auc.mean, .04, .07);
    return Done{};
  }
  static double best_gain(const AuditSummary& summary) {
    double best = -1.0;
    for (const AttackerSummary& one : summary.attackers)
      if (one.attacker != Attacker::popularity) best = std::max(best, one.advantage.auc.mean);
    return best;
  }
  static AuditRequest only_counts(AuditRequest request) {
    request.attack.attackers = {Attacker::bias_sum};
    return request;
  }

  Status canaries() {
    CanaryRequest request;
    request.noise = {.multiplier = 1.0, .clip = 1.0, .delta = 1e-5};
    request.trials = quick_ ? 2000 : 20000;
    request.devices = 10;
    AuditRequest promise = request_;
    promise.noise = request.noise;
    const double promised = epsilon_of(promise, 1);
    SOTTO_TRY(const CanaryOutcome outcome, play_canaries(request, promised, pool_));
    tell("audit, canaries: proven eps <= promised", "eps", outcome.bound.epsilon, .5, promised);
    return Done{};
  }

  bool quick_;
  const std::function<void(const MeasuredFigure&)>& tell_;
  AuditRequest request_;
  ThreadPool pool_{0};
  const Split* split_ = nullptr;
};

}  // namespace

void measure_audit(const std::string& folder, bool quick,
                   const std::function<void(const MeasuredFigure&)>& tell) {
  const Status done = AuditFigures(folder, quick, tell).measure();
  if (!done.ok()) tell({data, "audit", "", std::nullopt, 0.0, any, done.error().message});
}

}  // namespace sotto::tests
