// TaskRun: one task of a coordinator: its model, its open round and who is in it.
//
// Laws: at most one round is open; its number is durable before anybody is assigned; a device that gave to a
// round is not asked for it again; a version is visible only when version, round and budget are durable, and
// where the store fails the old version stays and the round is given up. Not thread-safe: the coordinator's
// lock holds.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fed/selection.h"
#include "fed/wire/catalogue.h"
#include "fed/wire/round_plain.h"
#include "server/conduct.h"
#include "server/log_sink.h"
#include "server/members.h"
#include "server/metrics.h"
#include "server/round_sum.h"
#include "server/version_shelf.h"

namespace sotto::server {

// What the tasks of a coordinator share.
struct Surroundings {
  Store& store;
  LogSink& log;
  Metrics& metrics;
  const Registry& registry;
  std::size_t most_upload_bytes = 0;
  std::size_t upload_bytes = 0;  // of unfinished uploads
  Conduct conduct;
};

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
  [[nodiscard]] std::optional<v1::Assignment> news(const v1::CheckInRequest& request);
  // None: the token is of no round of this task.
  [[nodiscard]] std::optional<StepAnswer> step(const Caller& caller, const RoundToken& token,
                                               const v1::StepRequest& request, std::int64_t now_ms);
  [[nodiscard]] SharedBlob blob(const std::string& hash) const;
  void tick(std::int64_t now_ms);
  // Ends the open round: with what is there where that suffices, else without.
  void stop(std::int64_t now_ms);
  [[nodiscard]] Status set_state(TaskState state);
  // Rules that do not change what is computed; they hold from the next round on.
  [[nodiscard]] Status can_reload(const TaskConfig& config) const;
  void reload(const TaskConfig& config) { config_.rules = config.rules; }

  [[nodiscard]] const std::string& name() const { return task_.name; }
  [[nodiscard]] const TaskConfig& config() const { return config_; }
  [[nodiscard]] TaskShape shape() const { return task_.shape(); }
  [[nodiscard]] TaskState state() const { return state_; }
  [[nodiscard]] const std::string& why_finished() const { return why_finished_; }
  [[nodiscard]] const VersionRecord& version() const { return version_; }
  // The round that is open, with the contributions so far.
  [[nodiscard]] std::optional<RoundRecord> open_round() const;
  [[nodiscard]] std::size_t assignments() const { return members_.size(); }
  [[nodiscard]] std::optional<double> spent() const { return sum_->spent(); }

 private:
  struct OpenRound {
    RoundRecord record;
    RoundRules rules;
    bool gathered = false;  // nobody joins any more
    std::optional<PlainRound> plain;
    std::unique_ptr<SecureRound> secure;  // since its cohort is complete
    [[nodiscard]] std::uint64_t contributions() const;
  };

  TaskRun(TaskConfig config, Task task, Surroundings& around);
  [[nodiscard]] Status start_new(std::int64_t now_ms);
  [[nodiscard]] Status go_on(const TaskRecord& known);
  [[nodiscard]] Status check_known(const TaskCatalogue* catalogue) const;
  [[nodiscard]] Status take_catalogue(const v1::TaskSpec* known);

  // Who takes part.
  [[nodiscard]] bool admits(const Caller& caller, const v1::CheckInRequest& request, std::int64_t now_ms);
  [[nodiscard]] bool is_known_to(const v1::CheckInRequest& request) const;
  [[nodiscard]] std::string held_version(const v1::CheckInRequest& request) const;  // empty: none
  [[nodiscard]] bool is_drawn(std::uint32_t index, std::int64_t now_ms);
  [[nodiscard]] bool begin_round(std::int64_t now_ms);
  [[nodiscard]] v1::Assignment assignment(const RoundToken& token, const Member& member,
                                          const v1::CheckInRequest& request);
  // Says where a version is to be had, whole and from the one that the device holds.
  void put_version(const VersionShelf::Version& version, const std::string& held, v1::Assignment& assignment);
  // Steps.
  [[nodiscard]] StepAnswer past_step(const PastMember& past, const v1::StepRequest& request) const;
  [[nodiscard]] StepAnswer assemble(Member& member, const v1::StepRequest& request, std::string& whole);
  [[nodiscard]] StepAnswer plain_step(Member& member, const v1::StepRequest& request, std::int64_t now_ms);
  [[nodiscard]] StepAnswer secure_step(Member& member, const v1::StepRequest& request, std::int64_t now_ms);
  // The end of a round.
  void look_at_gathering(std::int64_t now_ms);
  void start_secure(std::int64_t now_ms);
  void close_if_done(std::int64_t now_ms);
  void close(std::int64_t now_ms);
  [[nodiscard]] Status commit(std::int64_t now_ms);
  void abandon(const std::string& why, std::int64_t now_ms);
  void end_round(std::int64_t now_ms);                     // with what is there, where that suffices
  void note_conduct(bool committed, std::int64_t now_ms);  // of a secure sum's members
  void end_members(bool committed);
  void drop_members(bool committed, const std::function<bool(const Member&)>& ends);
  [[nodiscard]] bool is_stale(const Member& member) const;
  void finish_if_done();
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
  TaskState state_ = TaskState::running;
  std::string why_finished_;
  std::uint32_t next_round_ = 0;
  std::optional<CohortSelector> selector_;
  std::optional<std::uint32_t> drawn_round_;  // whose cohort drawn_ is
  std::vector<std::uint32_t> drawn_;
  std::int64_t drawn_ms_ = 0;
  double mean_waited_ms_ = 0.0;  // of those who asked, running
  Members members_;
  std::optional<OpenRound> round_;
};

}  // namespace sotto::server
