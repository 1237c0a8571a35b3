// TaskRun: one task of a coordinator: its model, its open round and who is in it.
//
// Laws: at most one round is open; its number is durable before anybody is assigned; a device that gave to a
// round is not asked for it again; a version is visible only when version, round and budget are durable, and
// where the store fails the old version stays and the round is given up; while a version is on trial
// (server/trial.h) devices outside its share are given the one before, and no round opens. Not thread-safe:
// the coordinator's lock holds. While the next version is computed without it the round is open, and nobody
// gives to it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fed/wire/catalogue.h"
#include "server/cohort_draw.h"
#include "server/judging.h"
#include "server/next_version.h"

namespace sotto::server {

class TaskRun {
 public:
  // `known` is the store's record, or null for a new task. `around` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<TaskRun>> open(const TaskConfig& config,
                                                             const TaskRecord* known, Surroundings& around,
                                                             std::int64_t now_ms);
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  // The assignment that the device has and has not answered.
  [[nodiscard]] std::optional<v1::Assignment> held(const Caller& caller, const v1::CheckInRequest& request,
                                                   std::int64_t now_ms);
  // A new one, where there is one for it.
  [[nodiscard]] std::optional<v1::Assignment> assign(const Caller& caller, const v1::CheckInRequest& request,
                                                     std::int64_t now_ms);
  // The newest version for a device that lacks it, where no assignment would bring it.
  [[nodiscard]] std::optional<v1::Assignment> news(const Caller& caller, const v1::CheckInRequest& request);
  // None: the token is of no round of this task.
  [[nodiscard]] std::optional<StepAnswer> step(const Caller& caller, const RoundToken& token,
                                               const v1::StepRequest& request, std::int64_t now_ms);
  [[nodiscard]] SharedBlob blob(const std::string& hash) const;
  void tick(std::int64_t now_ms);
  // Ends the open round: with what is there where that suffices, else without.
  void stop(std::int64_t now_ms);
  // The version that the open round becomes. Whoever computed it concludes the round.
  [[nodiscard]] NextVersion& next() { return next_; }
  [[nodiscard]] const NextVersion& next() const { return next_; }
  void conclude(std::int64_t now_ms);
  [[nodiscard]] Status set_state(TaskState state);
  // An earlier version is the newest from here on: its model and what the server carried along with it, under
  // the next number; with a share above 0 it is on trial. The open round is given up, for its contributions
  // were to another model, and a trial ends without its version.
  [[nodiscard]] Status release_again(std::uint32_t number, double share, std::int64_t now_ms);
  // The version on trial is all devices' from here on.
  [[nodiscard]] Status promote(std::int64_t now_ms);
  // Rules that do not change what is computed; they hold from the next round on.
  [[nodiscard]] Status can_reload(const TaskConfig& config) const;
  void reload(const TaskConfig& config) { config_.rules = config.rules; }
  // Before another run with more items is opened in place of this one: the open round is given up, for its
  // sum has too few rows. Fails where that cannot be written.
  [[nodiscard]] Status end_for_growth(std::int64_t now_ms);

  [[nodiscard]] const std::string& name() const { return task_.name; }
  [[nodiscard]] const TaskConfig& config() const { return config_; }
  [[nodiscard]] TaskShape shape() const { return task_.shape(); }
  [[nodiscard]] TaskState state() const { return state_; }
  [[nodiscard]] const std::string& why_finished() const { return why_finished_; }
  [[nodiscard]] const VersionRecord& version() const { return version_; }
  // Null: none is under way.
  [[nodiscard]] const VersionTrial* trial() const;
  // The round that is open, with the contributions so far.
  [[nodiscard]] std::optional<RoundRecord> open_round() const;
  [[nodiscard]] std::size_t assignments() const;
  // The newest figures; none: no version was judged.
  [[nodiscard]] const EvaluationRecord* figures() const { return judging_ ? judging_->newest() : nullptr; }
  // Of the version that others keep during the trial; none: there is no trial, or they did not judge yet.
  [[nodiscard]] const EvaluationRecord* figures_beside() const;
  [[nodiscard]] std::optional<double> spent() const { return sum_->spent(); }

 private:
  TaskRun(TaskConfig config, Task task, Surroundings& around);
  [[nodiscard]] Status start_new(std::int64_t now_ms);
  [[nodiscard]] Status go_on(const TaskRecord& known, std::int64_t now_ms);
  // The next version: the newest with rows for items that came.
  [[nodiscard]] Status grow(const VersionRecord& newest, std::int64_t now_ms);
  // Whether the model bears more items than before, where there are more, and no version is on trial.
  [[nodiscard]] Status check_growth(const v1::TaskSpec& before, const v1::TaskSpec& after) const;
  // What the store has of a released one, checked, of as many rows as it had.
  [[nodiscard]] Result<ServerState> master_of(const VersionRecord& version) const;
  [[nodiscard]] Status take_catalogue(const v1::TaskSpec* known);

  // Who takes part.
  [[nodiscard]] bool admits(const Caller& caller, const v1::CheckInRequest& request, std::int64_t now_ms);
  [[nodiscard]] bool begin_round(std::int64_t now_ms);
  [[nodiscard]] v1::Assignment assignment(const RoundToken& token, const Member& member,
                                          const v1::CheckInRequest& request);
  void put_version(const VersionShelf::Version& version, const std::string& held, v1::Assignment& assignment);
  [[nodiscard]] v1::Assignment to_judge(const EvaluationRun::Asked& asked, const v1::CheckInRequest& request);
  // Whether it is the start's model, which nobody is sent as news, judges or compares another with; what
  // others keep during a trial never is.
  [[nodiscard]] bool is_start(std::uint32_t number) const { return number == version_.number && steps_ == 0; }
  // What a device has, or is to have.
  [[nodiscard]] std::uint32_t version_for(std::uint32_t index) const;
  // The end of a round.
  void close_if_done(std::int64_t now_ms);
  void close(std::int64_t now_ms);
  void next_part(std::int64_t now_ms);
  [[nodiscard]] Status commit(MadeVersion made, std::int64_t now_ms);
  void abandon(const std::string& why, std::int64_t now_ms);
  // Abandons the round because of what its sum came to.
  void give_up_sum(const Error& why, std::int64_t now_ms);
  void end_round(std::int64_t now_ms);  // with what is there, where that suffices
  void end_members(bool committed);
  void drop_members(bool committed, const std::function<bool(const Member&)>& ends);
  // While a version is being made: whether what the member gives is too late for the round behind it, too.
  [[nodiscard]] bool misses_next(const Member& member) const;
  [[nodiscard]] bool is_stale(const Member& member) const;
  // The version is durable: devices are given it.
  void take_version(ServerState master, VersionRecord version, VersionShelf::Version packed);
  // Why there is nothing more to train; empty: there is.
  [[nodiscard]] std::string why_done() const;
  void finish_if_done();
  void look_at_figures();  // new ones may end the task
  void finish(const std::string& why);
  void log(LogLevel level, std::string message,
           std::vector<std::pair<std::string, std::string>> fields = {}) const;

  TaskConfig config_;
  Task task_;
  Surroundings& around_;
  SharedBlob catalogue_;
  VersionShelf shelf_;
  std::unique_ptr<RoundSum> sum_;
  ServerState master_;
  VersionRecord version_;
  std::uint32_t rounds_done_ = 0;  // committed ones
  std::uint32_t steps_ = 0;        // committed ones that made the model at hand, one upon the other
  TaskState state_ = TaskState::running;
  std::string why_finished_;
  std::uint32_t next_round_ = 0;
  std::optional<CohortDraw> draw_;  // none: whoever comes
  double mean_waited_ms_ = 0.0;     // of those who asked, running
  Members members_;
  std::optional<OpenRound> round_;
  NextVersion next_;
  std::unique_ptr<Judging> judging_;  // none: the task evaluates nothing
};

}  // namespace sotto::server
