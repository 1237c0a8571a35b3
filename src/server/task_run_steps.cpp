// What members of a round send, and how a round ends.
#include <fmt/core.h>

#include "server/task_run.h"
#include "server/trial.h"

namespace sotto::server {

std::optional<StepAnswer> TaskRun::step(const Caller& caller, const RoundToken& token,
                                        const v1::StepRequest& request, std::int64_t now_ms) {
  Member* member = members_.find(token);
  if (member == nullptr) {
    const PastMember* past = members_.past(token);
    if (past == nullptr && judging_) {
      std::optional<StepAnswer> answer = judging_->step(caller, token, request, now_ms);
      look_at_figures();
      return answer;
    }
    if (past == nullptr) return std::nullopt;
    if (past->device != caller.id) return refuse_step(v1::REFUSAL_NOT_ASSIGNED, "not an assignment of yours");
    return step_after(task_, *past, request);
  }
  if (member->device != caller.id) return refuse_step(v1::REFUSAL_NOT_ASSIGNED, "not an assignment of yours");
  if (next_.is_under_way()) {
    if (member->given || misses_next(*member))
      return step_after(task_, {member->device, member->given, true}, request);
    return refuse_step(v1::REFUSAL_BUSY, "what came before is made into a model; try again later");
  }
  // What is left of an earlier buffer goes into the next one, if there is to be one.
  if (!round_ && (state_ != TaskState::running || trial() != nullptr || is_stale(*member)))
    return refuse_step(v1::REFUSAL_TOO_LATE, "the round is over");
  if (!round_ && !begin_round(now_ms))
    return refuse_step(v1::REFUSAL_INTERNAL, "the server could not open a round; try again later");
  StepAnswer answer = round_->step(*member, request, is_stale(*member), now_ms);
  if (answer.contributed && round_->in_last_part()) around_.metrics.count_exchange();
  close_if_done(now_ms);  // the member may be gone now
  return answer;
}

void TaskRun::close_if_done(std::int64_t now_ms) {
  if (!round_) return;
  if (task_.secure) {
    if (!round_->secure) return;
    if (round_->secure->state() == SecureRound::State::failed) return abandon(round_->secure->why(), now_ms);
    if (round_->secure->state() == SecureRound::State::done) close(now_ms);
    return;
  }
  if (round_->is_full()) close(now_ms);
}

void TaskRun::tick(std::int64_t now_ms) {
  if (judging_) {
    judging_->tick(now_ms);
    look_at_figures();
  }
  // Between two buffers too: whoever is late may be assigned anew.
  const bool buffered = config_.rules.mode == RoundRules::Mode::buffered;
  if (buffered)
    drop_members(
        true, [&](const Member& one) { return !one.given && (now_ms >= one.deadline_ms || is_stale(one)); });
  if (next_.is_under_way()) return;
  // Somebody asks, and nobody who was drawn does: the next round draws others.
  if (!round_ && state_ == TaskState::running && trial() == nullptr && draw_ &&
      draw_->has_waited(next_round_, config_.rules.round_ms, now_ms) && begin_round(now_ms))
    abandon("none of the devices that were drawn came", now_ms);
  if (!round_) return;
  round_->look_at_gathering(members_, now_ms);
  if (round_->secure) round_->secure->tick(now_ms);
  close_if_done(now_ms);
  if (!round_ || now_ms - round_->record.opened_ms < round_->lasts_ms()) return;
  // A buffer waits for its quorum, however long that takes.
  if (!buffered || round_->contributions() >= round_->rules.quorum) end_round(now_ms);
}

bool TaskRun::misses_next(const Member& member) const {
  return round_->rules.mode != RoundRules::Mode::buffered ||
         version_.number + 1 - member.base > config_.rules.max_staleness;
}

bool TaskRun::is_stale(const Member& member) const {
  return version_.number - member.base > config_.rules.max_staleness;
}

void TaskRun::end_round(std::int64_t now_ms) {
  const std::uint64_t have = round_->contributions();
  if (!task_.secure && have >= round_->rules.quorum) return close(now_ms);
  if (task_.secure)
    abandon("the secure sum did not end in time", now_ms);
  else
    abandon(fmt::format("{} contributions came, the quorum is {}", have, round_->rules.quorum), now_ms);
}

void TaskRun::stop(std::int64_t now_ms) {
  if (judging_) judging_->stop(now_ms);
  if (round_ && !next_.is_under_way()) end_round(now_ms);
  if (next_.is_under_way()) return;
  if (round_) abandon("the server stopped between its parts", now_ms);
  drop_members(false, [](const Member&) { return true; });
}

void TaskRun::close(std::int64_t now_ms) {
  if (round_->secure && round_->secure->inputs() < round_->rules.quorum)
    return abandon(fmt::format("{} inputs are in the sum, the quorum is {}", round_->secure->inputs(),
                               round_->rules.quorum),
                   now_ms);
  if (!round_->in_last_part()) return next_part(now_ms);
  const SumTotal* total = round_->secure ? &round_->secure->total() : nullptr;
  next_.begin([this, total] {
    return make_version(*sum_, total, steps_, master_, version_.number, shelf_, around_.store);
  });
}

void TaskRun::conclude(std::int64_t now_ms) {
  Result<MadeVersion> made = next_.made();
  const Status committed = made.ok() ? commit(std::move(*made), now_ms) : Status(made.error());
  if (!committed.ok()) give_up_sum(committed.error(), now_ms);
  finish_if_done();
}

void TaskRun::next_part(std::int64_t now_ms) {
  const Status begun = [&]() -> Status {
    SOTTO_TRY(const PartTotal told, sum_->close_part(round_->secure ? &round_->secure->total() : nullptr));
    // Nobody is cleared before the whole round is committed.
    round_->note_conduct(members_, PartEnd::goes_on, now_ms);
    drop_members(true, [](const Member& member) { return !member.given.has_value(); });
    return round_->next_part(told, members_, sum_->check(), sum_->open(), now_ms);
  }();
  if (!begun.ok()) give_up_sum(begun.error(), now_ms);
}

void TaskRun::give_up_sum(const Error& why, std::int64_t now_ms) {
  if (why.code == Code::bad_input) round_->note_conduct(members_, PartEnd::spoilt, now_ms);
  abandon(why.message, now_ms);
}

Status TaskRun::commit(MadeVersion made, std::int64_t now_ms) {
  const RoundRelease& release = made.release;
  RoundRecord record = round_->record;
  record.state = RoundState::committed;
  record.closed_ms = now_ms;
  record.contributions = release.devices;
  VersionRecord version{.task = task_.name,
                        .number = version_.number + 1,
                        .round = record.round,
                        .contributions = release.devices,
                        .model_hash = std::move(made.model_hash),
                        .master = {},
                        .time_ms = now_ms};
  // The first one replaces nothing.
  if (config_.rules.canary_share > 0.0 && !is_start(version_.number))
    version.trial = begin_trial(version_.number, config_.rules.canary_share);
  const auto write = [&]() -> Status {
    SOTTO_TRY(version.master, std::move(made.master));
    return around_.store.commit_round(record, version, release.budget);
  };
  if (const Status written = write(); !written.ok()) {
    sum_->waive();
    return written;
  }
  // Durable: from here on it is the version.
  sum_->keep();
  ++rounds_done_;
  ++steps_;
  take_version(std::move(made.release.state), std::move(version), std::move(made.packed));
  around_.metrics.count_round(true, now_ms - record.opened_ms);
  log(LogLevel::info, "round committed",
      {{"version", fmt::format("{}", version_.number)},
       {"contributions", fmt::format("{}", version_.contributions)},
       {"model", version_.model_hash}});
  round_->note_conduct(members_, PartEnd::committed, now_ms);
  end_members(true);
  if (trial() == nullptr) return Done{};
  if (judging_) judging_->stop(now_ms);  // of the version before, by whoever came
  drop_members(true, [](const Member&) { return true; });
  log(LogLevel::info, "version on trial", {{"version", fmt::format("{}", version_.number)}});
  return Done{};
}

void TaskRun::take_version(ServerState master, VersionRecord version, VersionShelf::Version packed) {
  master_ = std::move(master);
  version_ = std::move(version);
  shelf_.add(std::move(packed));
  if (judging_) judging_->keep_to(shelf_, version_.time_ms);
}

void TaskRun::abandon(const std::string& why, std::int64_t now_ms) {
  RoundRecord record = round_->record;
  record.state = RoundState::abandoned;
  record.closed_ms = now_ms;
  record.contributions = round_->contributions();
  record.why = why;
  log(LogLevel::warning, "round given up", {{"cause", why}});
  if (const Status abandoned = around_.store.abandon_round(record, sum_->charged()); !abandoned.ok())
    log(LogLevel::error, "the end of a round could not be written; it is given up at the next start",
        {{"cause", abandoned.error().message}});
  sum_->keep();  // written or not: the next end of a round writes it
  around_.metrics.count_round(false, now_ms - record.opened_ms);
  round_->note_conduct(members_, PartEnd::given_up, now_ms);
  end_members(false);
}

void TaskRun::end_members(bool committed) {
  // In a buffer those who have not given yet give to the next one.
  const bool buffered = round_->rules.mode == RoundRules::Mode::buffered;
  drop_members(committed, [&](const Member& member) { return !buffered || member.given.has_value(); });
  round_.reset();
}

void TaskRun::drop_members(bool committed, const std::function<bool(const Member&)>& ends) {
  server::drop_members(members_, around_, committed, ends);
}

std::string TaskRun::why_done() const {
  if (config_.rules.rounds != 0 && rounds_done_ >= config_.rules.rounds)
    return fmt::format("all {} rounds are committed", config_.rules.rounds);
  if (const Status paid = sum_->can_pay(); !paid.ok()) return paid.error().message;
  return why_enough(judging_.get());
}

void TaskRun::finish_if_done() {
  if (state_ == TaskState::finished || round_) return;
  if (const std::string why = why_done(); !why.empty()) finish(why);
}

void TaskRun::look_at_figures() {
  if (judging_->has_news()) finish_if_done();
}

void TaskRun::finish(const std::string& why) {
  state_ = TaskState::finished;
  why_finished_ = why;
  drop_members(true, [](const Member&) { return true; });
  if (judging_) judging_->keep_to_last(version_);
  log(LogLevel::info, "task finished", {{"why", why}});
  if (const Status written = around_.store.set_task_state(task_.name, state_); !written.ok())
    log(LogLevel::error, "the end of a task could not be written", {{"cause", written.error().message}});
}

}  // namespace sotto::server
