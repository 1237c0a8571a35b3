#include "server/open_round.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace sotto::server {

namespace {

StepAnswer too_late() { return refuse_step(v1::REFUSAL_TOO_LATE, "the round is over"); }

}  // namespace

std::uint64_t OpenRound::contributions() const {
  if (plain) return plain->contributions();
  return secure ? secure->inputs() : 0;
}

StepAnswer OpenRound::step(Member& member, const v1::StepRequest& request, bool late, std::int64_t now_ms) {
  if (request.part() < part()) return after_part(request);
  if (request.part() > part())
    return refuse_step(v1::REFUSAL_OUT_OF_ORDER, "the part of the round has not begun");
  StepAnswer answer =
      task_.secure ? secure_step(member, request, now_ms) : plain_step(member, request, late, now_ms);
  const bool taken = answer.refusal == v1::REFUSAL_NONE && answer.progress == v1::StepReply::TAKEN;
  if (taken && !in_last_part()) answer.progress = v1::StepReply::WAIT;
  return answer;
}

StepAnswer OpenRound::after_part(const v1::StepRequest& request) const {
  const v1::Phase last = task_.secure ? v1::PHASE_REVEAL : v1::PHASE_CONTRIBUTION;
  if (request.phase() != last) return refuse_step(v1::REFUSAL_TOO_LATE, "the part of the round is over");
  return step_progress(v1::StepReply::ANSWER, told_[request.part()]);
}

std::int64_t OpenRound::lasts_ms() const {
  if (task_.secure) return rules.round_ms;
  return rules.round_ms * static_cast<std::int64_t>(part() + 1) / static_cast<std::int64_t>(task_.parts());
}

Status OpenRound::next_part(const PartTotal& told, Members& members, const ContributionCheck& check,
                            Collector& sum, std::int64_t now_ms) {
  log(LogLevel::info, "a part of the round is over",
      {{"part", fmt::format("{} of {}", part() + 1, task_.parts())},
       {"contributions", fmt::format("{}", told.devices)}});
  Task next = task_;
  next.totals.push_back(told);
  std::vector<std::pair<std::uint32_t, PublicKey>> stayed;
  members.each([&](const Member& member) { stayed.emplace_back(member.place, member.sum_key); });
  std::sort(stayed.begin(), stayed.end());
  std::vector<PublicKey> directory;
  for (const auto& [place, key] : stayed) directory.push_back(key);
  std::unique_ptr<SecureRound> begun;
  if (task_.secure) {
    SOTTO_TRY(begun, SecureRound::start(next, record.round, std::move(directory), rules.phase_ms, now_ms));
  }
  // Nothing fails from here on: places are those of the next part.
  task_ = std::move(next);
  told_.push_back(encode_total(told));
  secure = std::move(begun);
  if (!task_.secure) plain.emplace(task_, check, sum);
  gathered = true;
  noted_ = false;
  going_on_ = members.size();
  members.change([&](Member& member) {
    member.given.reset();
    const auto at = std::lower_bound(stayed.begin(), stayed.end(), std::pair(member.place, member.sum_key));
    member.place = static_cast<std::uint32_t>(at - stayed.begin());
  });
  return Done{};
}

bool OpenRound::is_full() const {
  if (part() > 0) return contributions() == going_on_;
  const std::uint64_t wanted = gathered ? std::min<std::uint64_t>(rules.goal, record.assigned) : rules.goal;
  return contributions() >= std::max<std::uint64_t>(wanted, rules.quorum);
}

bool goes_on(const Task& task, const OpenRound* round, Member& member, const v1::CheckInRequest& request,
             std::int64_t now_ms) {
  if (member.given || now_ms >= member.deadline_ms) return false;
  if (round != nullptr && round->part() > 0) return false;  // what it gave is of an exchange that is over
  if (!task.secure) return true;
  // A device that began anew has another key; as long as nobody was told the old one, that is fine.
  PublicKey key{};
  if (!read_key(request.sum_key(), key)) return false;
  if (round != nullptr && round->secure && key != member.sum_key) return false;
  member.sum_key = key;
  return true;
}

void drop_members(Members& members, Surroundings& around, bool committed,
                  const std::function<bool(const Member&)>& ends) {
  members.each([&](const Member& member) {
    if (ends(member)) around.upload_bytes -= member.upload.bytes();
  });
  members.end(committed, ends);
}

StepAnswer step_after(const Task& task, const PastMember& past, const v1::StepRequest& request) {
  if (!past.committed)
    return refuse_step(v1::REFUSAL_ROUND_FAILED, "the round was given up; no model came of it");
  if (!past.given || request.part() + 1 != task.parts()) return too_late();
  if (task.secure)
    return request.phase() == v1::PHASE_REVEAL ? step_progress(v1::StepReply::TAKEN) : too_late();
  // A long message is asked for again in pieces; its last one is not kept to be compared.
  const bool whole = request.offset() == 0 && request.data().size() == request.total();
  if (whole && message_digest(request.data()) != *past.given)
    return refuse_step(v1::REFUSAL_DUPLICATE, "another contribution was taken already");
  return step_progress(v1::StepReply::TAKEN);
}

StepAnswer OpenRound::assemble(Member& member, const v1::StepRequest& request, std::string& whole) const {
  const std::uint64_t most = task_.secure
                                 ? SecureRound::most_bytes(task_, static_cast<std::uint32_t>(record.assigned))
                                 : PlainRound::most_bytes(task_);
  const std::size_t before = member.upload.bytes();
  const bool in_pieces = request.data().size() != request.total();
  if (in_pieces && around_.upload_bytes + request.data().size() > around_.most_upload_bytes)
    return refuse_step(v1::REFUSAL_BUSY, "too many uploads at once; try again later");
  StepAnswer answer = member.upload.take(request, most, whole);
  around_.upload_bytes = around_.upload_bytes - before + member.upload.bytes();
  return answer;
}

StepAnswer OpenRound::plain_step(Member& member, const v1::StepRequest& request, bool late,
                                 std::int64_t now_ms) {
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
  if (now_ms >= member.deadline_ms || late) return too_late();
  StepAnswer answer = plain->take(member.round, UserIndex{member.index}, message);
  if (answer.refusal == v1::REFUSAL_NONE)
    member.given = digest;
  else
    around_.conduct.note_refused(member.device, now_ms);
  return answer;
}

StepAnswer OpenRound::secure_step(Member& member, const v1::StepRequest& request, std::int64_t now_ms) {
  if (!secure) {
    if (request.phase() == v1::PHASE_JOIN) return step_progress(v1::StepReply::WAIT);
    return refuse_step(v1::REFUSAL_OUT_OF_ORDER, "the cohort is not complete yet: join first");
  }
  if (request.poll()) return secure->poll(member.place, request.phase());
  std::string message;
  StepAnswer pieces = assemble(member, request, message);
  if (pieces.refusal != v1::REFUSAL_NONE || pieces.progress == v1::StepReply::MORE) return pieces;
  StepAnswer answer = secure->take(member.place, request.phase(), message, now_ms);
  if (answer.contributed) member.given = message_digest(message);
  return answer;
}

void OpenRound::look_at_gathering(const Members& members, std::int64_t now_ms) {
  if (gathered || rules.mode == RoundRules::Mode::buffered) return;
  const bool full = record.assigned >= most_assigned(rules);
  const bool enough = now_ms - record.opened_ms >= rules.gather_ms && record.assigned >= rules.quorum;
  if (task_.secure) {
    if (full || enough) start_secure(members, now_ms);
  } else if (full || (enough && rules.selection == RoundRules::Selection::arrival)) {
    gathered = true;
  }
}

void OpenRound::start_secure(const Members& members, std::int64_t now_ms) {
  std::vector<PublicKey> directory(record.assigned);
  members.each([&](const Member& member) { directory[member.place] = member.sum_key; });
  auto started = SecureRound::start(task_, record.round, std::move(directory), rules.phase_ms, now_ms);
  if (!started.ok()) return;  // too few for the terms: others may come until the deadline
  secure = std::move(*started);
  gathered = true;
  log(LogLevel::info, "secure sum begins", {{"devices", fmt::format("{}", record.assigned)}});
}

void OpenRound::note_conduct(const Members& members, PartEnd end, std::int64_t now_ms) {
  if (!secure || std::exchange(noted_, true)) return;
  const SecureRound& sum = *secure;
  const SumVerdict verdict = sum.verdict();
  const bool failed = sum.state() == SecureRound::State::failed;
  Conduct::Findings found;
  found.task = task_.name;
  const double corrupt = task_.assumed.corrupt * static_cast<double>(around_.registry.size());
  found.most_on_doubt = std::max(static_cast<std::size_t>(corrupt), std::size_t{1});
  members.each([&](const Member& member) {
    const bool suspected = verdict.suspected.has(member.place);
    if (verdict.named.has(member.place)) found.named.push_back(member.device);
    if (suspected) found.suspected.push_back({member.device, verdict.opponents[member.place]});
    const bool in_sum = sum.in_sum(member.place);
    const bool spoilt = end == PartEnd::spoilt || (failed && sum.unexplained());
    if ((failed && suspected) || (spoilt && in_sum) || (part() > 0 && sum.left(member.place)))
      found.doubted.push_back(member.device);
    if (end == PartEnd::committed && in_sum) found.cleared.push_back(member.device);
  });
  around_.conduct.note(found, now_ms);
  around_.metrics.count_conduct(found.named.size(), found.suspected.size());
  if (!found.named.empty() || !found.suspected.empty() || !found.doubted.empty())
    log(LogLevel::warning, "members of the secure sum did not keep to it; 'devices' shows which",
        {{"named", fmt::format("{}", found.named.size())},
         {"in_dispute", fmt::format("{}", found.suspected.size())},
         {"in_doubt", fmt::format("{}", found.doubted.size())}});
}

void OpenRound::log(LogLevel level, std::string message,
                    std::vector<std::pair<std::string, std::string>> fields) const {
  around_.log.line({level, record.task, record.round, std::move(message), std::move(fields)});
}

}  // namespace sotto::server
