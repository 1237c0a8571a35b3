#include "server/evaluation_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/hash.h"
#include "base/secret_stream.h"
#include "server/admission.h"
#include "server/figures_text.h"
#include "server/stop_rule.h"

namespace sotto::server {

EvaluationRun::EvaluationRun(const TaskConfig& config, const Task& task, Surroundings& around,
                             EvaluationBudget& budget, bool beside)
    : config_(config),
      around_(around),
      budget_(budget),
      task_(evaluation_task(task)),
      check_(task_),
      shape_{task_.shape().sum_rows, task_.shape().sum_width},
      total_space_(shape_.rows, shape_.width),
      plain_(shape_),
      secure_(shape_.width),
      beside_(beside) {}

void EvaluationRun::load(std::span<const EvaluationRecord> released) {
  const auto own = std::ranges::find(released, beside_, &EvaluationRecord::beside);
  if (own != released.end()) newest_ = *own;
}

Result<std::string> EvaluationRun::why_stop() const {
  if (config_.rules.stop_when.empty()) return std::string();
  SOTTO_TRY(const StopRule rule, parse_stop_rule(config_.rules.stop_when));
  constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();
  SOTTO_TRY(std::vector<EvaluationRecord> all, around_.store.evaluations(task_.name, whole));
  SOTTO_TRY(const std::vector<VersionRecord> versions, around_.store.versions(task_.name, whole));
  const std::uint32_t newest = versions.front().number;
  std::erase_if(all, [&](const EvaluationRecord& one) {
    const std::optional<VersionTrial>& trial = versions[newest - one.version].trial;
    const bool was_dropped = trial && !trial->promoted && one.version != newest;
    return one.beside || was_dropped;
  });
  return server::why_stop(rule, all);
}

RoundRules EvaluationRun::rules() const {
  RoundRules rules = config_.rules;
  if (rules.evaluate_goal != 0) rules.goal = rules.evaluate_goal;
  rules.mode = RoundRules::Mode::cohorts;
  rules.selection = RoundRules::Selection::arrival;
  return rules;
}

std::optional<EvaluationRun::Asked> EvaluationRun::held(const Caller& caller,
                                                        const v1::CheckInRequest& request,
                                                        std::int64_t now_ms) {
  const RoundToken* token = members_.token_of(caller.id);
  if (token == nullptr) return std::nullopt;
  Member* member = members_.find(*token);
  // A device that offers nothing any more has judged it, or has nothing to judge it by.
  if (!offers(request, member->round) || !goes_on(task_, &*round_, *member, request, now_ms))
    return std::nullopt;
  return Asked{*token, member};
}

bool EvaluationRun::offers(const v1::CheckInRequest& request, std::uint32_t version) const {
  return std::ranges::any_of(request.judges(), [&](const v1::Judges& one) {
    return one.task() == task_.name && one.from() <= version;
  });
}

bool EvaluationRun::takes(const Caller& caller, const v1::CheckInRequest& request, std::uint32_t version,
                          std::int64_t now_ms) const {
  const RoundRules now = round_ ? round_->rules : rules();
  PublicKey key{};
  if (!offers(request, version) || !fulfils(now, request) || members_.token_of(caller.id) != nullptr)
    return false;
  if (round_ && (round_->gathered || members_.size() >= most_assigned(now))) return false;
  if (!task_.secure) return around_.conduct.may_give(caller.id, now_ms);
  return read_key(request.sum_key(), key) && around_.conduct.may_join(task_.name, caller.id, version, now_ms);
}

std::optional<EvaluationRun::Asked> EvaluationRun::ask(const Caller& caller,
                                                       const v1::CheckInRequest& request, Subject newest,
                                                       std::int64_t now_ms) {
  const Subject subject = round_ ? Subject{round_->record.round, model_} : newest;
  const std::uint32_t version = subject.version;
  if ((newest_ && newest_->version >= version) || !takes(caller, request, version, now_ms))
    return std::nullopt;
  if (!round_) {
    if (!budget_.bears_another()) return std::nullopt;
    begin(subject, now_ms);
  }
  Member member;
  member.device = caller.id;
  member.index = caller.index;
  member.round = version;
  member.base = subject.model;
  member.place = static_cast<std::uint32_t>(round_->record.assigned++);
  member.deadline_ms = round_->record.opened_ms + round_->rules.round_ms;
  if (task_.secure) (void)read_key(request.sum_key(), member.sum_key);
  const auto [token, added] = members_.add(std::move(member));
  round_->look_at_gathering(members_, now_ms);
  return Asked{token, added};
}

Collector& EvaluationRun::sum() {
  return task_.secure ? static_cast<Collector&>(secure_) : static_cast<Collector&>(plain_);
}

void EvaluationRun::begin(Subject subject, std::int64_t now_ms) {
  const std::uint32_t version = subject.version;
  model_ = subject.model;
  budget_.open();
  noise_.reset();
  if (const double noise = config_.evaluation.noise_multiplier; noise > 0.0) {
    DpSumPlan plan =
        dp_sum_plan({longest_figures(*task_.evaluation), noise, double{task_.plan.fixed.scale()}});
    plan.seed = task_.plan.seed;
    // Where people take part, nobody can make the noise again.
    plan.release = beside_ ? "an evaluation beside a trial" : "an evaluation";
    if (!task_.reproducible) plan.release = std::move(Hasher().bytes(system_key())).hex();
    noise_.emplace(
        shape_, plan, [](std::uint32_t) { return Done{}; }, sum());  // it has room in the budget
  }
  const Status begun = open_sum().begin({.round = version, .cohort = {}, .shared = nullptr});
  SOTTO_ASSERT(begun.ok(), "the sums of an evaluation begin empty");
  round_.emplace(task_, around_,
                 RoundRecord{.task = task_.name, .round = version, .opened_ms = now_ms, .why = {}}, rules());
  if (!task_.secure) round_->plain.emplace(task_, check_, open_sum());
  log(LogLevel::info, "evaluation opened", {});
}

std::optional<StepAnswer> EvaluationRun::step(const Caller& caller, const RoundToken& token,
                                              const v1::StepRequest& request, std::int64_t now_ms) {
  Member* member = members_.find(token);
  const PastMember* past = member == nullptr ? members_.past(token) : nullptr;
  if (member == nullptr && past == nullptr) return std::nullopt;
  if ((member != nullptr ? member->device : past->device) != caller.id)
    return refuse_step(v1::REFUSAL_NOT_ASSIGNED, "not an assignment of yours");
  if (past != nullptr) return step_after(task_, *past, request);
  StepAnswer answer = round_->step(*member, request, false, now_ms);
  close_if_done(now_ms);  // the member may be gone now
  return answer;
}

void EvaluationRun::close_if_done(std::int64_t now_ms) {
  if (!task_.secure) {
    if (round_->is_full()) close(now_ms);
  } else if (round_->secure) {
    if (round_->secure->state() == SecureRound::State::failed)
      give_up(round_->secure->why(), now_ms);
    else if (round_->secure->state() == SecureRound::State::done)
      close(now_ms);
  }
}

void EvaluationRun::tick(std::int64_t now_ms) {
  if (!round_) return;
  round_->look_at_gathering(members_, now_ms);
  if (round_->secure) round_->secure->tick(now_ms);
  close_if_done(now_ms);
  if (round_ && now_ms - round_->record.opened_ms >= round_->rules.round_ms) stop(now_ms);
}

void EvaluationRun::stop(std::int64_t now_ms) {
  if (!round_) return;
  if (!task_.secure) return close(now_ms);
  give_up("the secure sum did not end in time", now_ms);
}

void EvaluationRun::close(std::int64_t now_ms) {
  if (round_->contributions() < round_->rules.quorum)
    return give_up(
        fmt::format("{} people judged it, the quorum is {}", round_->contributions(), round_->rules.quorum),
        now_ms);
  if (const Status released = release(now_ms); !released.ok())
    return give_up(released.error().message, now_ms);
  log(LogLevel::info, "evaluation released",
      {{"people", fmt::format("{}", newest_->people)}, {"figures", newest_->figures}});
  round_->note_conduct(members_, PartEnd::committed, now_ms);
  end(true);
}

Status EvaluationRun::release(std::int64_t now_ms) {
  if (round_->secure) secure_.give(round_->secure->total());
  Aggregator total(total_space_);
  SOTTO_TRY(const Traffic traffic, open_sum().finish(total));
  SOTTO_TRY(const LiveFigures figures,
            read_figures(task_, traffic.devices, noise_.has_value(), std::move(total)));
  const EvaluationRecord record{.task = task_.name,
                                .version = round_->record.round,
                                .people = figures.people,
                                .figures = figures_text(figures, *task_.evaluation),
                                .time_ms = now_ms,
                                .beside = beside_};
  SOTTO_TRY_DONE(around_.store.add_evaluation(record));
  newest_ = record;
  return Done{};
}

void EvaluationRun::give_up(const std::string& why, std::int64_t now_ms) {
  log(LogLevel::warning, "evaluation given up", {{"cause", why}});
  round_->note_conduct(members_, PartEnd::given_up, now_ms);
  end(false);
}

void EvaluationRun::end(bool committed) {
  budget_.close(committed);
  drop_members(members_, around_, committed, [](const Member&) { return true; });
  round_.reset();
}

void EvaluationRun::log(LogLevel level, std::string message,
                        std::vector<std::pair<std::string, std::string>> fields) const {
  fields.insert(fields.begin(), {"version", fmt::format("{}", round_->record.round)});
  if (beside_) fields.insert(fields.begin() + 1, {"model_of", fmt::format("{}", model_)});
  around_.log.line({level, task_.name, std::nullopt, std::move(message), std::move(fields)});
}

}  // namespace sotto::server
