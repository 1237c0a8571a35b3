// EvaluationRun: who judges the newest version of a task, and what comes of it. While a version is on trial a
// second one is of those who keep the version before: it goes by the newest one's number, so that both are
// judged at the same time, each by people of its own.
//
// Laws: at most one evaluation is open, and it is of one version; its sum is of figures alone, apart from
// every round's; one of fewer people than the quorum is never released, nor one that no lists have; figures
// are shown when they are durable, once for a version. Not thread-safe: the coordinator's lock holds.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fed/dp_sum.h"
#include "fed/models/live_evaluation.h"
#include "server/evaluation_budget.h"
#include "server/open_round.h"

namespace sotto::server {

class EvaluationRun {
 public:
  // Somebody who was asked to judge; the member's round is the version's number.
  struct Asked {
    RoundToken token{};
    const Member* member = nullptr;
  };

  // What is judged, by its number, and the version whose model it is.
  struct Subject {
    std::uint32_t version = 0;
    std::uint32_t model = 0;
  };

  // `task` evaluates. All of it outlives this; rules that are read again hold from the next evaluation on.
  // `beside`: of the version that others keep during a trial.
  EvaluationRun(const TaskConfig& config, const Task& task, Surroundings& around, EvaluationBudget& budget,
                bool beside = false);
  EvaluationRun(const EvaluationRun&) = delete;
  EvaluationRun& operator=(const EvaluationRun&) = delete;
  // What was released before, newest first.
  void load(std::span<const EvaluationRecord> released);
  // Why the task has learned enough by its rule; empty: it has not, or there is no rule.
  [[nodiscard]] Result<std::string> why_stop() const;

  // Who was asked and has not answered.
  [[nodiscard]] std::optional<Asked> held(const Caller& caller, const v1::CheckInRequest& request,
                                          std::int64_t now_ms);
  // Asks this device about the version, where there is something to ask and its person lets it.
  [[nodiscard]] std::optional<Asked> ask(const Caller& caller, const v1::CheckInRequest& request,
                                         Subject newest, std::int64_t now_ms);
  // None: the token is of no evaluation of this task.
  [[nodiscard]] std::optional<StepAnswer> step(const Caller& caller, const RoundToken& token,
                                               const v1::StepRequest& request, std::int64_t now_ms);
  void tick(std::int64_t now_ms);
  // Ends the open evaluation: with what is there where that suffices, else without.
  void stop(std::int64_t now_ms);
  void give_up(const std::string& why, std::int64_t now_ms);

  // The version whose model is being judged.
  [[nodiscard]] std::optional<std::uint32_t> open() const {
    return round_ ? std::optional(model_) : std::nullopt;
  }
  [[nodiscard]] std::size_t assignments() const { return members_.size(); }
  // Null: there is none yet.
  [[nodiscard]] const EvaluationRecord* newest() const { return newest_ ? &*newest_ : nullptr; }

 private:
  [[nodiscard]] RoundRules rules() const;
  [[nodiscard]] bool offers(const v1::CheckInRequest& request, std::uint32_t version) const;
  [[nodiscard]] bool takes(const Caller& caller, const v1::CheckInRequest& request, std::uint32_t version,
                           std::int64_t now_ms) const;
  [[nodiscard]] Collector& sum();
  [[nodiscard]] Collector& open_sum() { return noise_ ? static_cast<Collector&>(*noise_) : sum(); }
  void begin(Subject subject, std::int64_t now_ms);
  void close_if_done(std::int64_t now_ms);
  void close(std::int64_t now_ms);
  [[nodiscard]] Status release(std::int64_t now_ms);
  void end(bool committed);
  void log(LogLevel level, std::string message,
           std::vector<std::pair<std::string, std::string>> fields) const;

  const TaskConfig& config_;
  Surroundings& around_;
  EvaluationBudget& budget_;
  Task task_;
  FiguresCheck check_;
  SumShape shape_;
  SumSpace total_space_;
  PlainCollector plain_;
  GivenTotal secure_;
  std::optional<DpSum> noise_;  // of the evaluation at hand
  Members members_;
  std::optional<OpenRound> round_;
  std::uint32_t model_ = 0;  // of the open evaluation
  std::optional<EvaluationRecord> newest_;
  bool beside_;
};

}  // namespace sotto::server
