#include "lab/study/run_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>

#include "lab/study/cell_sequence.h"
#include "lab/study/task_pool.h"
#include "lab/study/time_left.h"

namespace sotto::lab {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class StudyRun {
 public:
  StudyRun(const Study& study, const StudyData& data, ResultsFile& results, StudyHooks& hooks,
           std::size_t threads)
      : results_(results), hooks_(hooks), pool_(threads) {
    for (std::size_t dataset = 0; dataset < study.datasets.size(); ++dataset)
      for (std::size_t model = 0; model < study.models.size(); ++model)
        sequences_.push_back(std::make_unique<CellSequence>(study, data, dataset, model));
    costs_.resize(sequences_.size());
    for (std::size_t sequence = 0; sequence < sequences_.size(); ++sequence) measure(sequence);
  }

  [[nodiscard]] Result<StudyOutcome> run() {
    {
      const std::lock_guard lock(mutex_);
      together([this] {
        for (std::size_t sequence = 0; sequence < sequences_.size(); ++sequence) advance(sequence);
      });
    }
    pool_.run();
    if (problem_) return *problem_;
    if (stopped())
      return fail(Code::cancelled, fmt::format("stopped with {} of {} cells finished", finished_, total()));
    outcome_.cells = finished_;
    outcome_.seconds = seconds_since(start_);
    return outcome_;
  }

 private:
  [[nodiscard]] bool stopped() const {
    return problem_.has_value() || (hooks_.stop != nullptr && hooks_.stop->load());
  }
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const SequenceCost& cost : costs_) sum += cost.cells;
    return sum;
  }

  // What the sequence comes to, as far as it is known: a search whose trials fail ends earlier.
  void measure(std::size_t sequence) {
    costs_[sequence].cells = sequences_[sequence]->search_cells() + sequences_[sequence]->final_cells();
    costs_[sequence].work = sequences_[sequence]->work();
  }

  // The functions below are called with mutex_ held.
  void advance(std::size_t sequence);
  void meet(Cell cell, const std::string& problem);
  void finish(const Cell& cell, const CellResult& result, const char* how);
  void store(const Cell& cell, const CellResult& result, const CellDetail& detail);
  void say(const std::string& note);
  void keep(const Status& status) {
    if (!status.ok() && !problem_) problem_ = status.error();
  }
  // What `work` writes reaches the disk at once, or not at all.
  void together(const std::function<void()>& work) {
    keep(results_.together([&]() -> Status {
      work();
      if (problem_) return *problem_;
      return Done{};
    }));
  }
  void take_in(const Cell& cell, const ComputedCell& made);

  void compute(const Cell& cell, Executor& executor);
  [[nodiscard]] Result<ComputedCell> attempt(const Cell& cell, Executor& executor) const;

  ResultsFile& results_;
  StudyHooks& hooks_;
  TaskPool pool_;
  Clock::time_point start_ = Clock::now();

  std::mutex mutex_;
  std::vector<std::unique_ptr<CellSequence>> sequences_;
  std::vector<SequenceCost> costs_;
  std::map<std::string, std::vector<Cell>> in_flight_;  // by key: others that wait for the same result
  std::uint64_t running_ = 0;
  std::uint64_t finished_ = 0;
  StudyOutcome outcome_;
  std::optional<Error> problem_;
};

void StudyRun::advance(std::size_t sequence) {
  CellSequence::Step step = sequences_[sequence]->next();
  for (std::size_t n = 0; n < step.cells.size() && !problem_; ++n) {
    step.cells[n].sequence = sequence;
    meet(std::move(step.cells[n]), step.problems[n]);
  }
}

void StudyRun::meet(Cell cell, const std::string& problem) {
  if (!problem.empty()) {
    CellResult failed;
    failed.reason = problem;
    failed.split_hash = cell.data->split.hash;
    store(cell, failed, {});
    return finish(cell, failed, "failed");
  }
  if (const auto flying = in_flight_.find(cell.place.key); flying != in_flight_.end()) {
    flying->second.push_back(std::move(cell));
    return;
  }
  const auto there = results_.find(cell.place.key);
  if (!there.ok()) return keep(there.error());
  if (*there && ((*there)->done || !hooks_.retry_failed)) {
    ++outcome_.found;
    return finish(cell, **there, "found");
  }
  in_flight_[cell.place.key];
  pool_.add([this, cell = std::move(cell)](Executor& executor) { compute(cell, executor); });
}

Result<ComputedCell> StudyRun::attempt(const Cell& cell, Executor& executor) const {
  try {
    return compute_cell(cell.request, cell.data->split, cell.place.phase, executor, hooks_.stop);
  } catch (const std::bad_alloc&) {
    return fail(Code::io, "there was not enough memory for this cell");
  } catch (const std::exception& error) {
    return fail(Code::io, fmt::format("this should not have happened: {}", error.what()));
  }
}

void StudyRun::compute(const Cell& cell, Executor& executor) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped()) return;
    ++running_;
  }
  const Clock::time_point start = Clock::now();
  auto computed = attempt(cell, executor);
  const std::lock_guard lock(mutex_);
  --running_;
  if (!computed.ok() && computed.error().code == Code::cancelled) return;
  SequenceCost& cost = costs_[cell.sequence];
  cost.work_computed += cell.work;
  cost.seconds += seconds_since(start);
  ++outcome_.computed;
  ComputedCell failed;
  if (!computed.ok()) {
    failed.result.reason = computed.error().message;
    failed.result.request = to_toml(cell.request);
    failed.result.split_hash = cell.data->split.hash;
    failed.result.seconds = seconds_since(start);
  }
  together([&] { take_in(cell, computed.ok() ? *computed : failed); });
}

void StudyRun::take_in(const Cell& cell, const ComputedCell& made) {
  store(cell, made.result, made.detail);
  const std::vector<Cell> others = std::move(in_flight_[cell.place.key]);
  in_flight_.erase(cell.place.key);
  finish(cell, made.result, made.result.done ? "done" : "failed");
  for (const Cell& other : others) {
    ++outcome_.found;
    finish(other, made.result, "found");
  }
}

void StudyRun::store(const Cell& cell, const CellResult& result, const CellDetail& detail) {
  if (!problem_) keep(results_.put(cell.place.key, result, detail));
}

void StudyRun::finish(const Cell& cell, const CellResult& result, const char* how) {
  if (problem_) return;
  keep(results_.put_place(cell.place));
  if (problem_) return;
  ++finished_;
  costs_[cell.sequence].work_finished += cell.work;
  if (!result.done) outcome_.failures.push_back({cell.place, result.reason});
  std::string note = fmt::format("{} on {}", cell.place.model, cell.place.dataset);
  for (const auto& [key, value] : cell.place.settings) note += fmt::format(", {} {}", key, value);
  note += fmt::format(", seed {}, {}: {}", cell.place.seed, to_string(cell.place.phase), how);
  if (!result.done) note += " (" + result.reason + ")";
  const bool step_is_over = sequences_[cell.sequence]->tell(cell.slot, result);
  if (step_is_over) measure(cell.sequence);
  say(note);
  if (step_is_over && !stopped()) advance(cell.sequence);
}

void StudyRun::say(const std::string& note) {
  if (!hooks_.on_progress) return;
  hooks_.on_progress({.finished = finished_,
                      .found = outcome_.found,
                      .failed = outcome_.failures.size(),
                      .total = total(),
                      .running = running_,
                      .seconds = seconds_since(start_),
                      .left_seconds = seconds_left(costs_) / static_cast<double>(pool_.threads()),
                      .note = note});
}

}  // namespace

Result<StudyOutcome> run_study(const Study& study, const StudyData& data, ResultsFile& results,
                               StudyHooks& hooks, std::size_t threads) {
  const auto introduce = [&]() -> Status {
    SOTTO_TRY_DONE(results.begin_study(study.name));
    for (const Split* split : data.all()) SOTTO_TRY_DONE(results.put_split(facts_of(*split)));
    return Done{};
  };
  SOTTO_TRY_DONE(results.together(introduce));
  return StudyRun(study, data, results, hooks, threads).run();
}

Result<StudyOutcome> run_study(const Study& study, ResultsFile& results, StudyHooks& hooks,
                               std::size_t threads) {
  SOTTO_TRY_DONE(check(study));
  const auto note = [&hooks](const std::string& text) {
    StudyProgress progress;
    progress.note = text;
    if (hooks.on_progress) hooks.on_progress(progress);
  };
  SOTTO_TRY(const StudyData data, StudyData::load(study, note));
  return run_study(study, data, results, hooks, threads);
}

Result<std::vector<PlannedCells>> plan_study(const Study& study, const StudyData& data,
                                             const ResultsFile* results) {
  std::vector<PlannedCells> plan;
  for (std::size_t dataset = 0; dataset < study.datasets.size(); ++dataset)
    for (std::size_t model = 0; model < study.models.size(); ++model) {
      CellSequence sequence(study, data, dataset, model);
      PlannedCells& planned = plan.emplace_back();
      planned.dataset = sequence.dataset();
      planned.model = sequence.model();
      planned.search = sequence.search_cells();
      planned.final = sequence.final_cells();
      if (results == nullptr) continue;
      for (const Cell& cell : sequence.next().cells) {
        SOTTO_TRY(const std::optional<CellResult> there, results->find(cell.place.key));
        if (there) ++planned.found;
      }
    }
  return plan;
}

}  // namespace sotto::lab
