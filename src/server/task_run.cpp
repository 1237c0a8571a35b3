#include "server/task_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/row_hash.h"
#include "server/admission.h"
#include "server/master_blob.h"
#include "server/trial.h"

namespace sotto::server {

namespace {

constexpr std::size_t least_versions_kept = 16;  // from which deltas can be made
constexpr std::size_t all_versions = std::numeric_limits<std::size_t>::max();

ModelShape shape_of(const Task& task, v1::Precision precision) {
  return {task.shape().rows, task.shape().width, precision};
}

// How many rounds made the model of a version, one upon the other; `oldest_first` are all of its task.
std::uint32_t steps_of(const std::vector<VersionRecord>& oldest_first, std::uint32_t number) {
  std::uint32_t steps = 0;
  while (number != 0) {
    const VersionRecord& version = oldest_first[number];
    if (!version.again) ++steps;
    number = version.again ? *version.again : number - 1;
  }
  return steps;
}

// Whether a model of this size has fewer numbers than those of the task: one of before the catalogue grew.
bool is_smaller(std::size_t rows, std::size_t width, const TaskShape& shape) {
  return rows * width < shape.rows * shape.width;
}

}  // namespace

TaskRun::TaskRun(TaskConfig config, Task task, Surroundings& around)
    : config_(std::move(config)),
      task_(std::move(task)),
      around_(around),
      shelf_(shape_of(task_, task_.down),
             std::max<std::size_t>(least_versions_kept, config_.rules.max_staleness + 2)) {
  if (config_.rules.selection == RoundRules::Selection::drawn) draw_.emplace(config_.rules, task_.plan.seed);
}

Result<std::unique_ptr<TaskRun>> TaskRun::open(const TaskConfig& config, const TaskRecord* known,
                                               Surroundings& around, std::int64_t now_ms) {
  SOTTO_TRY_DONE(check(config));
  SOTTO_TRY(Task task, read_task(config.spec));
  task.share = share_of(config.rules);
  std::unique_ptr<TaskRun> run(new TaskRun(config, std::move(task), around));
  SOTTO_TRY(run->sum_, RoundSum::make(config, run->task_, known == nullptr ? "" : known->budget));
  if (known == nullptr) {
    SOTTO_TRY_DONE(run->start_new(now_ms));
  } else {
    SOTTO_TRY_DONE(run->go_on(*known, now_ms));
  }
  if (run->task_.evaluation) {
    SOTTO_TRY(run->judging_, Judging::make(run->config_, run->task_, around));
  }
  if (run->state_ == TaskState::finished) {
    run->why_finished_ = run->why_done();
    if (run->why_finished_.empty()) run->why_finished_ = "it was finished before";
  }
  run->finish_if_done();
  return run;
}

Status TaskRun::start_new(std::int64_t now_ms) {
  SOTTO_TRY_DONE(take_catalogue(nullptr));
  master_ = sum_->model().start();
  version_ = {.task = task_.name, .model_hash = hash_rows(master_.shared), .master = {}, .time_ms = now_ms};
  SOTTO_TRY(version_.master, around_.store.put_blob(master_blob(master_)));
  const TaskRecord record{
      .name = task_.name, .spec = config_.spec.SerializeAsString(), .budget = sum_->budget()};
  SOTTO_TRY_DONE(around_.store.add_task(record, version_));
  shelf_.add(shelf_.packed(0, master_.shared));
  log(LogLevel::info, "task begins");
  return Done{};
}

Status TaskRun::go_on(const TaskRecord& known, std::int64_t now_ms) {
  v1::TaskSpec spec;
  if (!spec.ParseFromString(known.spec))
    return fail(Code::bad_input, fmt::format("task '{}' in the store does not decode", task_.name));
  SOTTO_TRY(std::vector<VersionRecord> versions, around_.store.versions(task_.name, all_versions));
  if (versions.empty())
    return fail(Code::bad_input, fmt::format("task '{}' has no version in the store", task_.name));
  version_ = versions.front();
  SOTTO_TRY_DONE(check_growth(spec, config_.spec));
  SOTTO_TRY_DONE(take_catalogue(&spec));
  const bool grows = is_grown(spec, config_.spec);
  if (!grows && config_.spec.SerializeAsString() != known.spec)
    return fail(Code::incompatible, fmt::format("task '{}' is in the store with other settings: a task's "
                                                "settings never change, choose a new name",
                                                task_.name));
  const std::size_t keep = std::max<std::size_t>(least_versions_kept, config_.rules.max_staleness + 2);
  if (grows) {
    SOTTO_TRY_DONE(grow(version_, now_ms));
    SOTTO_TRY(versions, around_.store.versions(task_.name, all_versions));
  }
  std::reverse(versions.begin(), versions.end());
  for (std::size_t n = versions.size() - std::min(versions.size(), keep); n < versions.size(); ++n) {
    SOTTO_TRY(master_, master_of(versions[n]));
    if (master_.shared.width() == task_.shape().width)
      shelf_.add(shelf_.packed(versions[n].number, master_.shared));
  }
  version_ = versions.back();
  rounds_done_ = static_cast<std::uint32_t>(std::count_if(
      versions.begin(), versions.end(), [](const auto& one) { return one.number != 0 && !one.again; }));
  steps_ = steps_of(versions, version_.number);
  state_ = known.state;
  next_round_ = known.next_round;
  return Done{};
}

Result<ServerState> TaskRun::master_of(const VersionRecord& version) const {
  SOTTO_TRY(const std::string encoded, around_.store.blob(version.master));
  const std::optional<ModelShape> kept = published_shape(encoded);
  const bool is_old =
      kept && is_smaller(kept->rows, kept->width, task_.shape()) && task_.model->grown != nullptr;
  Task then = task_;  // rows are the items' where a task can grow
  if (is_old) then.items = kept->rows;
  SOTTO_TRY(ServerState master,
            read_master(encoded, is_old ? task_.model->server(then)->start() : sum_->model().start()));
  if (hash_rows(master.shared) != version.model_hash)
    return fail(Code::bad_input, fmt::format("version {} of task '{}' is not the model that was released",
                                             version.number, task_.name));
  return master;
}

Status TaskRun::release_again(std::uint32_t number, double share, std::int64_t now_ms) {
  if (number > version_.number)
    return fail(Code::not_found, fmt::format("task '{}' has no version {}: the newest is {}", task_.name,
                                             number, version_.number));
  if (number == version_.number)
    return fail(Code::usage,
                trial() != nullptr
                    ? fmt::format("version {} of task '{}' is on trial: promote it", number, task_.name)
                    : fmt::format("version {} of task '{}' is the newest: devices are given it "
                                  "already",
                                  number, task_.name));
  SOTTO_TRY(std::vector<VersionRecord> versions, around_.store.versions(task_.name, all_versions));
  std::reverse(versions.begin(), versions.end());
  VersionRecord version = versions[number];
  SOTTO_TRY(ServerState master, master_of(version));
  if (!version.again || versions[*version.again].master != version.master) version.again = number;
  version.number = version_.number + 1;
  version.time_ms = now_ms;
  version.trial = std::nullopt;
  if (share != 0.0) {
    SOTTO_TRY_DONE(check_share(share));
    const std::uint32_t stable = trial() != nullptr ? trial()->stable : version_.number;
    if (steps_of(versions, number) == 0)
      return fail(Code::usage, fmt::format("version {} of task '{}' is the start, which no round made: there "
                                           "is nothing to try",
                                           number, task_.name));
    if (is_start(stable) || version.number - stable >= least_versions_kept)
      return fail(Code::usage,
                  "a trial needs a version that all others keep, and there is none, or too many were tried "
                  "since: promote one, or release one to all");
    version.trial = begin_trial(stable, share);
  }
  if (is_smaller(master.shared.rows(), master.shared.width(), task_.shape())) {
    master = task_.model->grown(task_, master);
    version.model_hash = hash_rows(master.shared);
    SOTTO_TRY(version.master, around_.store.put_blob(master_blob(master)));
    SOTTO_TRY_DONE(around_.store.grow_task(config_.spec.SerializeAsString(), version));
  } else {
    SOTTO_TRY_DONE(around_.store.release_again(version));
  }
  if (round_) abandon(fmt::format("version {} was released again", number), now_ms);
  drop_members(false, [](const Member&) { return true; });
  if (judging_) judging_->stop(now_ms);
  steps_ = steps_of(versions, number);
  VersionShelf::Version packed = shelf_.packed(version.number, master.shared);
  take_version(std::move(master), std::move(version), std::move(packed));
  log(LogLevel::info, "version released again",
      {{"version", fmt::format("{}", version_.number)}, {"of", fmt::format("{}", number)}});
  return Done{};
}

std::optional<RoundRecord> TaskRun::open_round() const {
  if (!round_) return std::nullopt;
  RoundRecord record = round_->record;
  record.contributions = round_->contributions();
  return record;
}

bool TaskRun::admits(const Caller& caller, const v1::CheckInRequest& request, std::int64_t now_ms) {
  const RoundRules& rules = round_ ? round_->rules : config_.rules;
  PublicKey key{};
  if (!knows(request, task_) || !fulfils(rules, request) ||
      (task_.secure && !read_key(request.sum_key(), key)))
    return false;
  if (round_ && round_->gathered) return false;
  const std::uint32_t round = round_ ? round_->record.round : next_round_;
  const Conduct& conduct = around_.conduct;
  if (task_.secure ? !conduct.may_join(task_.name, caller.id, round, now_ms)
                   : !conduct.may_give(caller.id, now_ms))
    return false;
  if (draw_) return draw_->has(caller.index, round, now_ms);
  const bool buffered = rules.mode == RoundRules::Mode::buffered;
  const std::uint64_t most = most_assigned(rules) * (buffered ? rules.max_staleness + std::uint64_t{1} : 1);
  std::uint64_t waiting = members_.size();
  if (buffered && round_) waiting -= std::min(waiting, round_->contributions());  // who gave takes no place
  if (waiting >= most) return false;
  const auto waited_ms = static_cast<double>(caller.waited_ms);
  const double chance = admission_chance(rules, request, waited_ms, mean_waited_ms_);
  constexpr double memory = 0.05;  // the mean is over some twenty who asked
  mean_waited_ms_ += memory * (waited_ms - mean_waited_ms_);
  return chance >= 1.0 || random_share() < chance;
}

bool TaskRun::begin_round(std::int64_t now_ms) {
  const RoundRecord record{.task = task_.name, .round = next_round_, .opened_ms = now_ms, .why = {}};
  if (const Status opened = around_.store.open_round(record); !opened.ok()) {
    log(LogLevel::error, "a round could not be opened", {{"cause", opened.error().message}});
    return false;
  }
  ++next_round_;
  task_.said = digest_of_task(config_.spec);  // its catalogue was named since it was read
  round_.emplace(task_, around_, record, config_.rules);
  const Status begun = sum_->begin(record.round, master_.shared);
  SOTTO_ASSERT(begun.ok(), "the sums of a round begin empty");
  if (!task_.secure) round_->plain.emplace(task_, sum_->model(), sum_->open());
  log(LogLevel::info, "round opened");
  return true;
}

v1::Assignment TaskRun::assignment(const RoundToken& token, const Member& member,
                                   const v1::CheckInRequest& request) {
  v1::Assignment assignment;
  *assignment.mutable_task() = config_.spec;
  assignment.set_round(member.round);
  assignment.set_token(std::string(token.begin(), token.end()));
  assignment.set_deadline_ms(static_cast<std::uint64_t>(member.deadline_ms));
  const VersionShelf::Version* version = shelf_.find(member.base);
  SOTTO_ASSERT(version != nullptr, "the version of an assignment is kept");
  put_version(*version, held_version(request, task_), assignment);
  return assignment;
}

void TaskRun::put_version(const VersionShelf::Version& version, const std::string& held,
                          v1::Assignment& assignment) {
  assignment.set_version(version.name);
  *assignment.mutable_full() = version.full;
  if (held.empty() || held == version.name) return;
  if (const auto delta = shelf_.delta(held, version)) *assignment.mutable_delta() = *delta;
}

v1::Assignment TaskRun::to_judge(const EvaluationRun::Asked& asked, const v1::CheckInRequest& request) {
  v1::Assignment made = assignment(asked.token, *asked.member, request);
  made.set_judge(true);
  return made;
}

std::optional<v1::Assignment> TaskRun::held(const Caller& caller, const v1::CheckInRequest& request,
                                            std::int64_t now_ms) {
  if (judging_ && knows(request, task_))
    if (const auto asked = judging_->held(caller, request, now_ms)) return to_judge(*asked, request);
  const RoundToken* token = members_.token_of(caller.id);
  if (token == nullptr || !knows(request, task_)) return std::nullopt;
  Member* member = members_.find(*token);
  // What it gives is in no sum that is being released; a buffer may take it afterwards.
  if (next_.is_under_way() && misses_next(*member)) return std::nullopt;
  if (shelf_.find(member->base) == nullptr ||
      !goes_on(task_, round_ ? &*round_ : nullptr, *member, request, now_ms))
    return std::nullopt;
  return assignment(*token, *member, request);
}

std::optional<v1::Assignment> TaskRun::assign(const Caller& caller, const v1::CheckInRequest& request,
                                              std::int64_t now_ms) {
  // Who gave to the open round judges what it makes: a device judges once after each round that it answered.
  const bool is_free = members_.token_of(caller.id) == nullptr;
  const EvaluationRun::Subject subject{version_.number, version_for(caller.index)};
  if (judging_ && is_free && state_ != TaskState::paused && !is_start(subject.model))
    if (const auto asked = judging_->ask(caller, request, subject, now_ms)) return to_judge(*asked, request);
  if (state_ != TaskState::running || trial() != nullptr || !is_free || next_.is_under_way())
    return std::nullopt;
  if (!admits(caller, request, now_ms)) return std::nullopt;
  if (!round_ && !begin_round(now_ms)) return std::nullopt;
  Member member;
  member.device = caller.id;
  member.index = caller.index;
  member.round = round_->record.round;
  member.base = version_.number;
  member.place = static_cast<std::uint32_t>(round_->record.assigned++);
  const bool buffered = round_->rules.mode == RoundRules::Mode::buffered;
  member.deadline_ms = (buffered ? now_ms : round_->record.opened_ms) + round_->rules.round_ms;
  if (task_.secure) (void)read_key(request.sum_key(), member.sum_key);
  const auto [token, added] = members_.add(std::move(member));
  const v1::Assignment made = assignment(token, *added, request);
  round_->look_at_gathering(members_, now_ms);
  return made;
}

SharedBlob TaskRun::blob(const std::string& hash) const {
  if (catalogue_ != nullptr && hash == config_.spec.catalogue().hash()) return catalogue_;
  return shelf_.blob(hash);
}

Status TaskRun::set_state(TaskState state) {
  if (state == TaskState::running) {
    if (config_.rules.rounds != 0 && rounds_done_ >= config_.rules.rounds)
      return fail(Code::usage, "all rounds of the task are done: raise rounds, then resume");
    SOTTO_TRY_DONE(sum_->can_pay());
    if (const std::string why = why_enough(judging_.get()); !why.empty())
      return fail(Code::usage, why + ": change stop_when, then resume");
  }
  SOTTO_TRY_DONE(around_.store.set_task_state(task_.name, state));
  state_ = state;
  if (draw_) draw_->begin_again();
  why_finished_.clear();
  return Done{};
}

void TaskRun::log(LogLevel level, std::string message,
                  std::vector<std::pair<std::string, std::string>> fields) const {
  std::optional<std::uint32_t> round;
  if (round_) round = round_->record.round;
  around_.log.line({level, task_.name, round, std::move(message), std::move(fields)});
}

}  // namespace sotto::server
