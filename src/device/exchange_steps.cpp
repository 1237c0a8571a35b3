// The second half of an exchange: the fit, and what leaves after it.
#include <algorithm>

#include "device/exchange_run.h"
#include "fed/wire/packed_contribution.h"

namespace sotto::device {

namespace {

constexpr std::int64_t least_poll_ms = 5;
constexpr std::int64_t most_poll_ms = 60'000;

bool is_last(v1::Phase phase) { return phase == v1::PHASE_CONTRIBUTION || phase == v1::PHASE_REVEAL; }

// The device stays out of the round; nothing of it is broken.
bool is_no_answer(const Error& why) { return why.code == Code::incompatible || why.code == Code::diverged; }

const RowMatrix& rows_in(const std::shared_ptr<const HeldModel>& model) {
  static const RowMatrix none;
  return model != nullptr ? model->rows : none;
}

}  // namespace

ExchangeRun::Moved ExchangeRun::fit(std::int64_t now_ms) {
  if (!catalogue_name_.empty()) {
    SOTTO_TRY(known_, kept_.catalogue(catalogue_name_));
    if (known_ == nullptr || known_->names.size() != task_.items)
      return {object("the task is refused: its catalogue has another number of items")};
  }
  if (pinned_) SOTTO_TRY_DONE(kept_.keep_model(task_.name, no_version_of(*pinned_)));
  if (model_) report_.download = model_->download();
  if (model_) shared_ = model_->model();
  model_.reset();
  auto work = judging_ ? work_for_judging(kept_, task_, known_.get(), rows_in(shared_))
                       : work_for_round(kept_, task_, report_.round, known_.get(), rows_in(shared_));
  if (!work.ok()) {
    if (!is_no_answer(work.error())) return work.error();
    return {end(Ending::kept_quiet, work.error().message, until_deadline(now_ms))};
  }
  if (!*work) {
    // Nor will it have later, for this version: it is not asked again.
    if (judging_) SOTTO_TRY_DONE(note_judged_nothing());
    return {end(Ending::kept_quiet, "this device has nothing to answer with", until_deadline(now_ms))};
  }
  work_ = std::move(*work);
  stage_ = Stage::step;
  if (work_->fit == nullptr) shared_.reset();
  return begin_part();
}

ExchangeRun::Moved ExchangeRun::begin_part() {
  offset_ = 0;
  polling_ = false;
  if (task_.secure) {
    std::vector<PublicKey> cohort;
    if (part_ != nullptr) cohort = part_->stayed();
    part_ = std::make_unique<SecurePart>(summed_, std::move(work_->contribution), sum_secrets_,
                                         std::move(cohort));
    outgoing_ = {v1::PHASE_JOIN, ""};
    return {std::nullopt};
  }
  outgoing_ = {v1::PHASE_CONTRIBUTION,
               pack_contribution(ContributionMessage{report_.round, std::move(work_->contribution)},
                                 summed_.part().sent.alike)};
  SOTTO_TRY_DONE(note_answer());
  return {std::nullopt};
}

ExchangeRun::Moved ExchangeRun::next_part(const std::string& encoded) {
  auto told = read_total(encoded, summed_.part());
  if (!told.ok()) return {object(told.error().message)};
  if (task_.secure && told->devices != part_->stayed().size())
    return {object("the total of a part of the round is refused: it is of other devices than stayed")};
  const Status made = work_for_next_part(*work_, *told, report_.round, rows_in(shared_));
  if (!made.ok() && is_no_answer(made.error()))
    return {end(Ending::kept_quiet, made.error().message, pause_ms)};
  if (!made.ok()) return {object(made.error().message)};
  summed_.totals.push_back(std::move(*told));
  return begin_part();
}

Result<std::optional<std::pair<std::string, std::uint32_t>>> ExchangeRun::judged_after() {
  SOTTO_TRY(const auto trained, kept_.last_round(task_.name));
  return std::optional(std::pair(judged_after_name(task_.name), trained.value_or(0)));
}

Status ExchangeRun::note_judged_nothing() {
  Answer answer;
  answer.task = noted_as_;
  answer.round = report_.round;
  answer.said = false;
  SOTTO_TRY(answer.beside, judged_after());
  return kept_.note_answer(answer);
}

Status ExchangeRun::note_answer() {
  Answer answer;
  answer.task = noted_as_;
  answer.round = report_.round;
  const TaskShape part = summed_.part();
  const bool is_over = summed_.in_last_part();
  answer.own = judging_ || !is_over ? nullptr : &work_->own;
  if (judging_) {
    SOTTO_TRY(answer.beside, judged_after());
  }
  const std::string sum = task_.secure ? "secure" : "plain";
  std::string tells = judging_ ? "evaluation" : part.tells;
  if (is_over && !work_->of.empty()) tells = work_->of + (tells.empty() ? "" : ", " + tells);
  const std::string grew = std::exchange(grew_, "");
  answer.ledger = {.round = report_.round,
                   .task = task_.name,
                   .mechanism = (tells.empty() ? sum : tells + ", " + sum) +
                                (work_->told.empty() ? "" : ", " + work_->told) + grew,
                   .epsilon = {},
                   .bytes = outgoing_.data.size(),
                   .items = std::move(work_->items)};
  SOTTO_TRY_DONE(kept_.note_answer(answer));
  if (is_over) work_.reset();
  return Done{};
}

std::string ExchangeRun::step_request() const {
  v1::StepRequest request;
  request.set_token(token_);
  request.set_phase(outgoing_.phase);
  request.set_part(static_cast<std::uint32_t>(summed_.totals.size()));
  request.set_poll(polling_);
  if (!polling_) {
    request.set_offset(offset_);
    request.set_total(outgoing_.data.size());
    request.set_data(outgoing_.data.substr(offset_, most_chunk_bytes));
  }
  return request.SerializeAsString();
}

ExchangeRun::Moved ExchangeRun::take_step(const v1::StepReply& reply, std::uint32_t retry_after_ms) {
  switch (reply.progress()) {
    case v1::StepReply::TAKEN:
      if (!is_last(outgoing_.phase) || !summed_.in_last_part()) break;
      return {end(Ending::answered, "", retry_after_ms)};
    case v1::StepReply::MORE:
      if (reply.next_offset() >= outgoing_.data.size()) break;
      offset_ = reply.next_offset();
      polling_ = false;
      return {std::nullopt};
    case v1::StepReply::WAIT:
      polling_ = true;
      std::string().swap(outgoing_.data);  // it is there
      return {wait(std::clamp<std::int64_t>(retry_after_ms, least_poll_ms, most_poll_ms))};
    case v1::StepReply::ANSWER: {
      if (is_last(outgoing_.phase) && summed_.in_last_part()) break;
      if (is_last(outgoing_.phase)) return next_part(reply.data());
      auto next = part_->after(outgoing_.phase, reply.data());
      if (!next.ok()) return {object(next.error().message)};
      outgoing_ = std::move(*next);
      offset_ = 0;
      polling_ = false;
      // What is masked leaves now.
      if (part_->gave_nothing() && work_) give_nothing(*work_);
      if (outgoing_.phase == v1::PHASE_MASKED) SOTTO_TRY_DONE(note_answer());
      return {std::nullopt};
    }
    default:
      break;
  }
  return {object("the exchange is refused: the server's answer to a step is out of order")};
}

ExchangeRun::Moved ExchangeRun::step(Transport& wire, std::int64_t now_ms) {
  SOTTO_TRY(Asked asked, ask(wire, Method::step, step_request(), now_ms));
  if (!asked.reply) return asked.next;
  v1::StepReply reply;
  if (!reply.ParseFromString(asked.reply->body())) return {object("the answer to a step does not decode")};
  return take_step(reply, asked.reply->retry_after_ms());
}

}  // namespace sotto::device
