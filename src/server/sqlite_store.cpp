#include "server/sqlite_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "server/gated_files.h"
#include "server/store_schema.h"

namespace sotto::server {

namespace fs = std::filesystem;

namespace {

using Guard = std::lock_guard<std::mutex>;

std::int64_t limit_of(std::size_t most) {
  return static_cast<std::int64_t>(std::min<std::size_t>(most, std::numeric_limits<std::int64_t>::max()));
}

Error no_task(const std::string& task) {
  return fail(Code::not_found, fmt::format("there is no task '{}'", task));
}

// Columns are listed once, beside what reads them.
#define ROUND_COLUMNS "task, round, state, opened_ms, closed_ms, assigned, contributions, why"
RoundRecord read_round(const Query& row) {
  return {row.text(0),
          row.number<std::uint32_t>(1),
          row.number<RoundState>(2),
          row.number<std::int64_t>(3),
          row.number<std::int64_t>(4),
          row.number(5),
          row.number(6),
          row.text(7)};
}

#define VERSION_COLUMNS \
  "task, number, round, contributions, model_hash, master, time_ms, again, stable, share, salt"
#define IS_PROMOTED \
  "EXISTS (SELECT 1 FROM promotion WHERE promotion.task = version.task AND promotion.version = number)"
VersionRecord read_version(const Query& row) {
  VersionRecord version{
      row.text(0), row.number<std::uint32_t>(1), row.number<std::uint32_t>(2), row.number(3), row.text(4),
      row.text(5), row.number<std::int64_t>(6)};
  if (!row.is_null(7)) version.again = row.number<std::uint32_t>(7);
  if (!row.is_null(8))
    version.trial = VersionTrial{row.number<std::uint32_t>(8), row.number<std::uint32_t>(9), row.text(10),
                                 row.number(11) != 0};
  return version;
}

#define EVALUATION_COLUMNS "task, version, people, figures, time_ms, beside"

// Every row of a query as records.
template <class Record>
Result<std::vector<Record>> collect(Result<Query> query, Record (*read)(const Query&)) {
  if (!query.ok()) return query.error();
  std::vector<Record> records;
  while (true) {
    SOTTO_TRY(const bool row, query->step());
    if (!row) return records;
    records.push_back(read(*query));
  }
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const fs::path& folder, WriteGate* gate) {
  std::error_code unknown;
  const fs::path place = fs::absolute(folder / ".", unknown).parent_path();  // without a slash at the end
  SOTTO_TRY_DONE(GatedFiles(gate).make_folder(place));
  SOTTO_TRY(FolderLock lock, FolderLock::take(place));
  std::unique_ptr<SqliteStore> store(new SqliteStore(std::move(lock), place, gate));
  SOTTO_TRY_DONE(store->open_database(place / "coordinator.db", gate));
  SOTTO_TRY_DONE(store->blobs_.open());
  return store;
}

Status SqliteStore::open_database(const fs::path& path, WriteGate* gate) {
  // Made here and not by SQLite, so that nobody else may ever read it; what SQLite puts beside it follows.
  const GatedFiles files(gate);
  SOTTO_TRY_DONE(files.make_file(path));
  SOTTO_TRY_DONE(files.sync_folder(path.parent_path()));
  if (gate != nullptr) vfs_ = std::make_unique<GatedVfs>(*gate);
  SOTTO_TRY(Database database,
            Database::open(path.string(), store_form, Access::write, {}, vfs_ ? vfs_->name() : nullptr));
  SOTTO_TRY_DONE(database.check_whole());
  database_ = std::make_unique<Database>(std::move(database));
  return Done{};
}

Result<std::vector<TaskRecord>> SqliteStore::tasks() {
  const Guard guard(one_at_a_time_);
  return collect<TaskRecord>(
      database_->query("SELECT name, spec, state, next_round, budget FROM task ORDER BY name"),
      [](const Query& row) -> TaskRecord {
        return {row.text(0), row.text(1), row.number<TaskState>(2), row.number<std::uint32_t>(3),
                row.text(4)};
      });
}

Status SqliteStore::add_version(const VersionRecord& version) {
  if (!blobs_.has(version.master))
    return fail(Code::not_found,
                fmt::format("version {} of task '{}' has no master among the blobs: put it there first",
                            version.number, version.task));
  SOTTO_TRY(
      const std::uint64_t next,
      database_->number("SELECT ifnull(max(number) + 1, 0) FROM version WHERE task = ?", {version.task}));
  if (version.number != next)
    return fail(Code::bad_input,
                fmt::format("version {} of task '{}' does not follow the newest: the next is {}",
                            version.number, version.task, next));
  std::optional<std::uint32_t> stable, share;
  if (version.trial) stable = version.trial->stable, share = version.trial->millionths;
  SOTTO_TRY_DONE(database_->run("INSERT INTO version (" VERSION_COLUMNS
                                ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                {version.task, version.number, version.round, version.contributions,
                                 version.model_hash, Octets(version.master), version.time_ms, version.again,
                                 stable, share, version.trial ? version.trial->salt : std::string()}));
  return Done{};
}

Status SqliteStore::add_task(const TaskRecord& task, const VersionRecord& start) {
  if (start.task != task.name || start.number != 0)
    return fail(Code::bad_input, fmt::format("task '{}' starts with its own version 0", task.name));
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(
        database_->run("INSERT OR IGNORE INTO task (name, spec, state, next_round, budget) "
                       "VALUES (?, ?, ?, ?, ?)",
                       {task.name, Octets(task.spec), task.state, task.next_round, task.budget}));
    if (database_->changed() == 0)
      return fail(Code::bad_input, fmt::format("there is a task '{}' already: give another name", task.name));
    return add_version(start);
  });
}

Status SqliteStore::set_task_state(const std::string& task, TaskState state) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(database_->run("UPDATE task SET state = ? WHERE name = ?", {state, task}));
    if (database_->changed() == 0) return no_task(task);
    return Done{};
  });
}

Status SqliteStore::open_round(const RoundRecord& round) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY(Query task, database_->query("SELECT next_round FROM task WHERE name = ?", {round.task}));
    SOTTO_TRY(const bool is_there, task.step());
    if (!is_there) return no_task(round.task);
    if (round.round < task.number(0))
      return fail(Code::bad_input, fmt::format("round {} of task '{}' was given already, the next is {}",
                                               round.round, round.task, task.number(0)));
    SOTTO_TRY_DONE(database_->run("INSERT INTO round (" ROUND_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                                  {round.task, round.round, RoundState::open, round.opened_ms,
                                   round.closed_ms, round.assigned, round.contributions, round.why}));
    SOTTO_TRY_DONE(database_->run("UPDATE task SET next_round = ? WHERE name = ?",
                                  {std::uint64_t{round.round} + 1, round.task}));
    return Done{};
  });
}

Status SqliteStore::close_round(const RoundRecord& round, RoundState state) {
  SOTTO_TRY_DONE(
      database_->run("UPDATE round SET state = ?, opened_ms = ?, closed_ms = ?, assigned = ?, "
                     "contributions = ?, why = ? WHERE task = ? AND round = ? AND state = 0",
                     {state, round.opened_ms, round.closed_ms, round.assigned, round.contributions, round.why,
                      round.task, round.round}));
  if (database_->changed() == 0)
    return fail(Code::bad_input, fmt::format("round {} of task '{}' is not open", round.round, round.task));
  return Done{};
}

Status SqliteStore::commit_round(const RoundRecord& round, const VersionRecord& version,
                                 const std::string& budget) {
  if (version.task != round.task || version.round != round.round)
    return fail(Code::bad_input,
                fmt::format("the version is not of round {} of task '{}'", round.round, round.task));
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(close_round(round, RoundState::committed));
    SOTTO_TRY_DONE(add_version(version));
    return set_budget(round.task, budget);
  });
}

Status SqliteStore::grow_task(const std::string& spec, const VersionRecord& version) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(database_->run("UPDATE task SET spec = ? WHERE name = ?", {Octets(spec), version.task}));
    if (database_->changed() == 0) return no_task(version.task);
    return add_version(version);
  });
}

Status SqliteStore::release_again(const VersionRecord& version) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY(const std::uint64_t same,
              database_->number("SELECT count(*) FROM version WHERE task = ? AND number = ? AND master = ? "
                                "AND model_hash = ?",
                                {version.task, version.again, Octets(version.master), version.model_hash}));
    if (same == 0)
      return fail(Code::bad_input, fmt::format("version {} of task '{}' is not the model of an earlier one",
                                               version.number, version.task));
    return add_version(version);
  });
}

Status SqliteStore::promote(const std::string& task, std::uint32_t version) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(
        database_->run("INSERT OR IGNORE INTO promotion (task, version) SELECT task, number FROM version "
                       "WHERE task = ?1 AND number = ?2 AND stable IS NOT NULL "
                       "AND number = (SELECT max(number) FROM version WHERE task = ?1)",
                       {task, version}));
    if (database_->changed() != 0) return Done{};
    return fail(Code::bad_input, fmt::format("version {} of task '{}' is not on trial", version, task));
  });
}

Status SqliteStore::set_budget(const std::string& task, const std::string& budget) {
  SOTTO_TRY_DONE(database_->run("UPDATE task SET budget = ? WHERE name = ?", {budget, task}));
  return Done{};
}

Status SqliteStore::abandon_round(const RoundRecord& round, const std::string& budget) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(close_round(round, RoundState::abandoned));
    return budget.empty() ? Status(Done{}) : set_budget(round.task, budget);
  });
}

Result<std::vector<RoundRecord>> SqliteStore::rounds(const std::string& task, std::size_t most) {
  const Guard guard(one_at_a_time_);
  return collect<RoundRecord>(database_->query("SELECT " ROUND_COLUMNS " FROM round WHERE task = ? "
                                               "ORDER BY round DESC LIMIT ?",
                                               {task, limit_of(most)}),
                              read_round);
}

Result<std::vector<VersionRecord>> SqliteStore::versions(const std::string& task, std::size_t most) {
  const Guard guard(one_at_a_time_);
  return collect<VersionRecord>(
      database_->query("SELECT " VERSION_COLUMNS ", " IS_PROMOTED " FROM version WHERE task = ? "
                       "ORDER BY number DESC LIMIT ?",
                       {task, limit_of(most)}),
      read_version);
}

Result<std::vector<RoundRecord>> SqliteStore::open_rounds() {
  const Guard guard(one_at_a_time_);
  return collect<RoundRecord>(
      database_->query("SELECT " ROUND_COLUMNS " FROM round WHERE state = 0 ORDER BY task, round"),
      read_round);
}

Status SqliteStore::add_evaluation(const EvaluationRecord& evaluation) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(database_->run("INSERT OR IGNORE INTO evaluation (" EVALUATION_COLUMNS
                                  ") SELECT ?1, ?2, ?3, ?4, ?5, ?6 "
                                  "WHERE EXISTS (SELECT 1 FROM version WHERE task = ?1 AND number = ?2)",
                                  {evaluation.task, evaluation.version, evaluation.people, evaluation.figures,
                                   evaluation.time_ms, evaluation.beside}));
    if (database_->changed() != 0) return Done{};
    return fail(Code::bad_input, fmt::format("version {} of task '{}' is not there, or was judged already",
                                             evaluation.version, evaluation.task));
  });
}

Result<std::vector<EvaluationRecord>> SqliteStore::evaluations(const std::string& task, std::size_t most) {
  const Guard guard(one_at_a_time_);
  return collect<EvaluationRecord>(
      database_->query("SELECT " EVALUATION_COLUMNS " FROM evaluation WHERE task = ? "
                       "ORDER BY version DESC, beside LIMIT ?",
                       {task, limit_of(most)}),
      [](const Query& row) -> EvaluationRecord {
        return {row.text(0), row.number<std::uint32_t>(1), row.number(2),
                row.text(3), row.number<std::int64_t>(4),  row.number(5) != 0};
      });
}

}  // namespace sotto::server
