// What members of a round send, and how a round ends.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/row_hash.h"
#include "server/master_blob.h"
#include "server/task_run.h"

namespace sotto::server {

namespace {

bool all_finite(const RowMatrix& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    for (const float value : rows.values(row))
      if (!std::isfinite(value)) return false;
  return true;
}

StepAnswer too_late() { return refuse_step(v1::REFUSAL_TOO_LATE, "the round is over"); }

}  // namespace

std::optional<StepAnswer> TaskRun::step(const Caller& caller, const RoundToken& token,
                                        const v1::StepRequest& request, std::int64_t now_ms) {
  Member* member = members_.find(token);
  if (member == nullptr) {
    const PastMember* past = members_.past(token);
    if (past == nullptr) return std::nullopt;
    if (past->device != caller.id) return refuse_step(v1::REFUSAL_NOT_ASSIGNED, "not an assignment of yours");
    return past_step(*past, request);
  }
  if (member->device != caller.id) return refuse_step(v1::REFUSAL_NOT_ASSIGNED, "not an assignment of yours");
  // What is left of an earlier buffer goes into the next one, if there is to be one.
  if (!round_ && (state_ != TaskState::running || is_stale(*member))) return too_late();
  if (!round_ && !begin_round(now_ms))
    return refuse_step(v1::REFUSAL_INTERNAL, "the server could not open a round; try again later");
  StepAnswer answer =
      task_.secure ? secure_step(*member, request, now_ms) : plain_step(*member, request, now_ms);
  if (answer.contributed) around_.metrics.count_exchange();
  close_if_done(now_ms);  // the member may be gone now
  return answer;
}

StepAnswer TaskRun::past_step(const PastMember& past, const v1::StepRequest& request) const {
  if (!past.committed)
    return refuse_step(v1::REFUSAL_ROUND_FAILED, "the round was given up; no model came of it");
  if (!past.given) return too_late();
  if (task_.secure)
    return request.phase() == v1::PHASE_REVEAL ? step_progress(v1::StepReply::TAKEN) : too_late();
  // A long message is asked for again in pieces; its last one is not kept to be compared.
  const bool whole = request.offset() == 0 && request.data().size() == request.total();
  if (whole && message_digest(request.data()) != *past.given)
    return refuse_step(v1::REFUSAL_DUPLICATE, "another contribution was taken already");
  return step_progress(v1::StepReply::TAKEN);
}

StepAnswer TaskRun::assemble(Member& member, const v1::StepRequest& request, std::string& whole) {
  const std::uint64_t most =
      task_.secure ? SecureRound::most_bytes(task_, static_cast<std::uint32_t>(round_->record.assigned))
                   : PlainRound::most_bytes(task_);
  const std::size_t before = member.upload.bytes();
  const bool in_pieces = request.data().size() != request.total();
  if (in_pieces && around_.upload_bytes + request.data().size() > around_.most_upload_bytes)
    return refuse_step(v1::REFUSAL_BUSY, "too many uploads at once; try again later");
  StepAnswer answer = member.upload.take(request, most, whole);
  around_.upload_bytes = around_.upload_bytes - before + member.upload.bytes();
  return answer;
}

StepAnswer TaskRun::plain_step(Member& member, const v1::StepRequest& request, std::int64_t now_ms) {
  if (request.phase() != v1::PHASE_CONTRIBUTION)
    return refuse_step(v1::REFUSAL_OUT_OF_ORDER, "a plain sum has one step: the contribution");
  if (request.poll()) return step_progress(member.given ? v1::StepReply::TAKEN : v1::StepReply::MORE);
  std::string message;
  StepAnswer pieces = assemble(member, request, message);
  if (pieces.refusal != v1::REFUSAL_NONE || pieces.progress == v1::StepReply::MORE) return pieces;
  const std::uint64_t digest = message_digest(message);
  if (member.given) {
    if (*member.given == digest) return step_progress(v1::StepReply::TAKEN);
    return refuse_step(v1::REFUSAL_DUPLICATE, "another contribution was taken already");
  }
  if (now_ms >= member.deadline_ms || is_stale(member)) return too_late();
  StepAnswer answer = round_->plain->take(member.round, UserIndex{member.index}, message);
  if (answer.refusal == v1::REFUSAL_NONE) member.given = digest;
  return answer;
}

StepAnswer TaskRun::secure_step(Member& member, const v1::StepRequest& request, std::int64_t now_ms) {
  if (!round_->secure) {
    if (request.phase() == v1::PHASE_JOIN) return step_progress(v1::StepReply::WAIT);
    return refuse_step(v1::REFUSAL_OUT_OF_ORDER, "the cohort is not complete yet: join first");
  }
  if (request.poll()) return round_->secure->poll(member.place, request.phase());
  std::string message;
  StepAnswer pieces = assemble(member, request, message);
  if (pieces.refusal != v1::REFUSAL_NONE || pieces.progress == v1::StepReply::MORE) return pieces;
  StepAnswer answer = round_->secure->take(member.place, request.phase(), message, now_ms);
  if (answer.contributed) member.given = message_digest(message);
  return answer;
}

void TaskRun::look_at_gathering(std::int64_t now_ms) {
  if (round_->gathered || round_->rules.mode == RoundRules::Mode::buffered) return;
  const RoundRules& rules = round_->rules;
  const bool full = round_->record.assigned >= most_assigned(rules);
  const bool enough =
      now_ms - round_->record.opened_ms >= rules.gather_ms && round_->record.assigned >= rules.quorum;
  if (task_.secure) {
    if (full || enough) start_secure(now_ms);
  } else if (full || (enough && rules.selection == RoundRules::Selection::arrival)) {
    round_->gathered = true;
  }
}

void TaskRun::start_secure(std::int64_t now_ms) {
  std::vector<PublicKey> directory(round_->record.assigned);
  members_.each([&](const Member& member) { directory[member.place] = member.sum_key; });
  auto started =
      SecureRound::start(task_, round_->record.round, std::move(directory), round_->rules.phase_ms, now_ms);
  if (!started.ok()) return;  // too few for the terms: others may come until the deadline
  round_->secure = std::move(*started);
  round_->gathered = true;
  log(LogLevel::info, "secure sum begins", {{"devices", fmt::format("{}", round_->record.assigned)}});
}

void TaskRun::close_if_done(std::int64_t now_ms) {
  if (!round_) return;
  const RoundRules& rules = round_->rules;
  if (task_.secure) {
    if (!round_->secure) return;
    if (round_->secure->state() == SecureRound::State::failed) return abandon(round_->secure->why(), now_ms);
    if (round_->secure->state() == SecureRound::State::done) close(now_ms);
    return;
  }
  std::uint64_t wanted = rules.goal;
  if (round_->gathered) wanted = std::min(wanted, round_->record.assigned);
  if (round_->contributions() >= std::max<std::uint64_t>(wanted, rules.quorum)) close(now_ms);
}

void TaskRun::tick(std::int64_t now_ms) {
  // Between two buffers too: whoever is late may be assigned anew.
  const bool buffered = config_.rules.mode == RoundRules::Mode::buffered;
  if (buffered)
    drop_members(
        true, [&](const Member& one) { return !one.given && (now_ms >= one.deadline_ms || is_stale(one)); });
  // Somebody asks, and nobody who was drawn does: the next round draws others.
  if (!round_ && state_ == TaskState::running && drawn_round_ == next_round_ &&
      now_ms - drawn_ms_ >= config_.rules.round_ms && begin_round(now_ms))
    abandon("none of the devices that were drawn came", now_ms);
  if (!round_) return;
  look_at_gathering(now_ms);
  if (round_->secure) round_->secure->tick(now_ms);
  close_if_done(now_ms);
  if (!round_ || now_ms - round_->record.opened_ms < round_->rules.round_ms) return;
  // A buffer waits for its quorum, however long that takes.
  if (!buffered || round_->contributions() >= round_->rules.quorum) end_round(now_ms);
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
  if (round_) end_round(now_ms);
  drop_members(false, [](const Member&) { return true; });
}

void TaskRun::close(std::int64_t now_ms) {
  if (round_->secure && round_->secure->inputs() < round_->rules.quorum)
    return abandon(fmt::format("{} inputs are in the sum, the quorum is {}", round_->secure->inputs(),
                               round_->rules.quorum),
                   now_ms);
  if (const Status committed = commit(now_ms); !committed.ok()) abandon(committed.error().message, now_ms);
  finish_if_done();
}

Status TaskRun::commit(std::int64_t now_ms) {
  SOTTO_TRY(RoundRelease release,
            sum_->finish(steps_, master_, round_->secure ? &round_->secure->total() : nullptr));
  if (!all_finite(release.state.shared) || !all_finite(release.state.memory))
    return fail(Code::diverged,
                "the numbers left the finite range: lower the learning rate of the next task");
  RoundRecord record = round_->record;
  record.state = RoundState::committed;
  record.closed_ms = now_ms;
  record.contributions = release.devices;
  VersionRecord version{.task = task_.name,
                        .number = version_.number + 1,
                        .round = record.round,
                        .contributions = release.devices,
                        .model_hash = hash_rows(release.state.shared),
                        .master = {},
                        .time_ms = now_ms};
  const auto write = [&]() -> Status {
    SOTTO_TRY(version.master, around_.store.put_blob(master_blob(release.state)));
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
  take_version(std::move(release.state), std::move(version));
  around_.metrics.count_round(true, now_ms - record.opened_ms);
  log(LogLevel::info, "round committed",
      {{"version", fmt::format("{}", version_.number)},
       {"contributions", fmt::format("{}", version_.contributions)},
       {"model", version_.model_hash}});
  note_conduct(true, now_ms);
  end_members(true);
  return Done{};
}

void TaskRun::take_version(ServerState master, VersionRecord version) {
  master_ = std::move(master);
  version_ = std::move(version);
  shelf_.add(version_.number, master_.shared);
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
  note_conduct(false, now_ms);
  end_members(false);
}

void TaskRun::note_conduct(bool committed, std::int64_t now_ms) {
  if (!round_->secure) return;
  const SecureRound& sum = *round_->secure;
  const SumVerdict verdict = sum.verdict();
  const bool failed = sum.state() == SecureRound::State::failed;
  Conduct::Findings found;
  found.task = task_.name;
  const double corrupt = task_.assumed.corrupt * static_cast<double>(around_.registry.size());
  found.most_on_doubt = std::max(static_cast<std::size_t>(corrupt), std::size_t{1});
  members_.each([&](const Member& member) {
    const bool suspected = verdict.suspected.has(member.place);
    if (verdict.named.has(member.place)) found.named.push_back(member.device);
    if (suspected) found.suspected.push_back({member.device, verdict.opponents[member.place]});
    if (failed && (suspected || (sum.unexplained() && sum.in_sum(member.place))))
      found.doubted.push_back(member.device);
    if (committed && sum.in_sum(member.place)) found.cleared.push_back(member.device);
  });
  around_.conduct.note(found, now_ms);
  around_.metrics.count_conduct(found.named.size(), found.suspected.size());
  if (!found.named.empty() || !found.suspected.empty() || !found.doubted.empty())
    log(LogLevel::warning, "members of the secure sum did not keep to it; 'devices' shows which",
        {{"named", fmt::format("{}", found.named.size())},
         {"in_dispute", fmt::format("{}", found.suspected.size())},
         {"in_doubt", fmt::format("{}", found.doubted.size())}});
}

void TaskRun::end_members(bool committed) {
  // In a buffer those who have not given yet give to the next one.
  const bool buffered = round_->rules.mode == RoundRules::Mode::buffered;
  drop_members(committed, [&](const Member& member) { return !buffered || member.given.has_value(); });
  round_.reset();
}

void TaskRun::drop_members(bool committed, const std::function<bool(const Member&)>& ends) {
  members_.each([&](const Member& member) {
    if (ends(member)) around_.upload_bytes -= member.upload.bytes();
  });
  members_.end(committed, ends);
}

void TaskRun::finish_if_done() {
  if (state_ == TaskState::finished || round_) return;
  if (config_.rules.rounds != 0 && rounds_done_ >= config_.rules.rounds)
    return finish(fmt::format("all {} rounds are committed", config_.rules.rounds));
  if (const Status paid = sum_->can_pay(); !paid.ok()) finish(paid.error().message);
}

void TaskRun::finish(const std::string& why) {
  state_ = TaskState::finished;
  why_finished_ = why;
  drop_members(true, [](const Member&) { return true; });
  log(LogLevel::info, "task finished", {{"why", why}});
  if (const Status written = around_.store.set_task_state(task_.name, state_); !written.ok())
    log(LogLevel::error, "the end of a task could not be written", {{"cause", written.error().message}});
}

}  // namespace sotto::server
