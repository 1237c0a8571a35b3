#include "server/judging.h"

#include <limits>

namespace sotto::server {

Result<std::unique_ptr<Judging>> Judging::make(const TaskConfig& config, const Task& task,
                                               Surroundings& around) {
  SOTTO_TRY(const auto released,
            around.store.evaluations(task.name, std::numeric_limits<std::size_t>::max()));
  std::unique_ptr<Judging> made(new Judging(config, task, around, released.size()));
  made->newest_.load(released);
  made->beside_.load(released);
  (void)made->has_news();
  return made;
}

std::optional<EvaluationRun::Asked> Judging::held(const Caller& caller, const v1::CheckInRequest& request,
                                                  std::int64_t now_ms) {
  auto asked = newest_.held(caller, request, now_ms);
  return asked ? asked : beside_.held(caller, request, now_ms);
}

std::optional<EvaluationRun::Asked> Judging::ask(const Caller& caller, const v1::CheckInRequest& request,
                                                 EvaluationRun::Subject subject, std::int64_t now_ms) {
  EvaluationRun& run = subject.model == subject.version ? newest_ : beside_;
  return run.ask(caller, request, subject, now_ms);
}

std::optional<StepAnswer> Judging::step(const Caller& caller, const RoundToken& token,
                                        const v1::StepRequest& request, std::int64_t now_ms) {
  std::optional<StepAnswer> answer = newest_.step(caller, token, request, now_ms);
  return answer ? answer : beside_.step(caller, token, request, now_ms);
}

void Judging::tick(std::int64_t now_ms) {
  newest_.tick(now_ms);
  beside_.tick(now_ms);
}

void Judging::stop(std::int64_t now_ms) {
  newest_.stop(now_ms);
  beside_.stop(now_ms);
}

void Judging::keep_to(const VersionShelf& shelf, std::int64_t now_ms) {
  for (EvaluationRun* run : {&newest_, &beside_})
    if (run->open() && shelf.find(*run->open()) == nullptr)
      run->give_up("devices cannot be given the version any more", now_ms);
}

void Judging::keep_to_last(const VersionRecord& last) {
  if (!newest_.open() || *newest_.open() == last.number) return;
  if (budget_.bears_another()) return newest_.stop(last.time_ms);
  newest_.give_up("the budget bears one more release, which is the last version's", last.time_ms);
}

bool Judging::has_news() {
  if (newest() == nullptr || newest()->version == asked_about_) return false;
  asked_about_ = newest()->version;
  return true;
}

std::string why_enough(const Judging* judging) {
  if (judging == nullptr) return "";
  const auto why = judging->why_stop();
  return why.ok() ? *why : "";  // a store that fails now is asked again after the next round
}

}  // namespace sotto::server
