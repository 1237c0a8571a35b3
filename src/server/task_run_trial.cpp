// Which version a device has while one is on trial, and afterwards.
#include <fmt/core.h>

#include "server/admission.h"
#include "server/task_run.h"
#include "server/trial.h"

namespace sotto::server {

const VersionTrial* TaskRun::trial() const {
  return version_.trial && !version_.trial->promoted ? &*version_.trial : nullptr;
}

std::size_t TaskRun::assignments() const {
  return members_.size() + (judging_ ? judging_->assignments() : 0);
}

const EvaluationRecord* TaskRun::figures_beside() const {
  const EvaluationRecord* newest = judging_ && trial() != nullptr ? judging_->beside() : nullptr;
  return newest != nullptr && newest->version == version_.number ? newest : nullptr;
}

Status TaskRun::promote(std::int64_t now_ms) {
  if (trial() == nullptr)
    return fail(Code::usage, fmt::format("no version of task '{}' is on trial", task_.name));
  SOTTO_TRY_DONE(around_.store.promote(task_.name, version_.number));
  if (judging_) judging_->stop(now_ms);
  version_.trial->promoted = true;
  log(LogLevel::info, "version promoted", {{"version", fmt::format("{}", version_.number)}});
  finish_if_done();
  return Done{};
}

std::uint32_t TaskRun::version_for(std::uint32_t index) const {
  return trial() == nullptr || is_in_share(*trial(), index) ? version_.number : trial()->stable;
}

std::optional<v1::Assignment> TaskRun::news(const Caller& caller, const v1::CheckInRequest& request) {
  // Where an operator decided what devices have, they do not wait for a round to learn of it.
  const bool is_chosen = version_.trial || version_.again;
  const bool is_last = state_ == TaskState::finished || task_.shape().solved || is_chosen;
  const VersionShelf::Version* given = shelf_.find(version_for(caller.index));
  if (!is_last || given == nullptr || is_start(given->number) || !knows(request, task_) ||
      !fulfils(config_.rules, request))
    return std::nullopt;
  const std::string held = held_version(request, task_);
  if (held == given->name) return std::nullopt;
  v1::Assignment news;
  *news.mutable_task() = config_.spec;
  put_version(*given, held, news);
  return news;
}

}  // namespace sotto::server
