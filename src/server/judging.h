// Judging: how good a task's versions are, as its devices find: of the version that they have and, while one
// is on trial, of the version that the others keep.
#pragma once

#include <memory>

#include "server/evaluation_run.h"
#include "server/version_shelf.h"

namespace sotto::server {

class Judging {
 public:
  // Of a task that evaluates, with what was released before. All of it outlives this.
  [[nodiscard]] static Result<std::unique_ptr<Judging>> make(const TaskConfig& config, const Task& task,
                                                             Surroundings& around);

  // Who was asked and has not answered.
  [[nodiscard]] std::optional<EvaluationRun::Asked> held(const Caller& caller,
                                                         const v1::CheckInRequest& request,
                                                         std::int64_t now_ms);
  // `subject`: the newest version, and the one that this device has.
  [[nodiscard]] std::optional<EvaluationRun::Asked> ask(const Caller& caller,
                                                        const v1::CheckInRequest& request,
                                                        EvaluationRun::Subject subject, std::int64_t now_ms);
  [[nodiscard]] std::optional<StepAnswer> step(const Caller& caller, const RoundToken& token,
                                               const v1::StepRequest& request, std::int64_t now_ms);
  void tick(std::int64_t now_ms);
  void stop(std::int64_t now_ms);
  // Gives up what is judged of versions that devices cannot be given any more.
  void keep_to(const VersionShelf& shelf, std::int64_t now_ms);
  // No version follows this one: ends what is judged of one before it, so that devices come to judge the
  // last.
  void keep_to_last(const VersionRecord& last);

  [[nodiscard]] Result<std::string> why_stop() const { return newest_.why_stop(); }
  [[nodiscard]] std::size_t assignments() const { return newest_.assignments() + beside_.assignments(); }
  [[nodiscard]] const EvaluationRecord* newest() const { return newest_.newest(); }
  [[nodiscard]] const EvaluationRecord* beside() const { return beside_.newest(); }
  // Whether there are figures that nobody asked about before.
  [[nodiscard]] bool has_news();

 private:
  Judging(const TaskConfig& config, const Task& task, Surroundings& around, std::size_t released)
      : budget_(config.evaluation, released),
        newest_(config, task, around, budget_),
        beside_(config, task, around, budget_, true) {}

  EvaluationBudget budget_;
  EvaluationRun newest_, beside_;
  std::uint32_t asked_about_ = 0;  // the newest version whose figures were
};

// Why a task has learned enough by its evaluations; empty: it has not, or has none.
[[nodiscard]] std::string why_enough(const Judging* judging);

}  // namespace sotto::server
