// How a task goes on with more items.
#include <fmt/core.h>

#include <algorithm>

#include "base/row_hash.h"
#include "server/master_blob.h"
#include "server/task_run.h"

namespace sotto::server {

Result<std::string> TaskRun::packed_after(const v1::TaskSpec& known, const TaskCatalogue& after) {
  SOTTO_TRY(std::string packed, around_.store.blob(known.catalogue().hash()));
  SOTTO_TRY(const auto before, read_catalogue(packed, known.items()));
  if (encode_catalogue(*before) == encode_catalogue(after)) return packed;
  if (const Status kept = check_grown(*before, after); !kept.ok())
    return chained(kept.error(), fmt::format("task '{}' in the store", task_.name));
  if (after.names.size() == before->names.size())
    return fail(Code::incompatible,
                fmt::format("task '{}' is in the store with a catalogue that says something else of the same "
                            "items: put it back, or begin another task",
                            task_.name));
  packed = pack_grown(packed, *before, after);
  SOTTO_TRY(const std::string hash, around_.store.put_blob(packed));
  return packed;
}

Status TaskRun::check_growth(const v1::TaskSpec& before, const v1::TaskSpec& after) const {
  if (after.items() <= before.items()) return Done{};
  if (task_.model->grown == nullptr)
    return fail(
        Code::incompatible,
        fmt::format("task '{}' trains {}, whose numbers are no rows of items: it cannot go on with {} "
                    "items in place of {}; put its items back, and begin another task with all of "
                    "them",
                    task_.name, task_.model->name, after.items(), before.items()));
  if (trial() == nullptr) return Done{};
  return fail(Code::usage,
              fmt::format("version {} of task '{}' is on trial: promote it or release another while the task "
                          "has its {} items, then let them grow",
                          version_.number, task_.name, before.items()));
}

Status TaskRun::grow(const VersionRecord& newest, std::int64_t now_ms) {
  SOTTO_TRY(const ServerState before, master_of(newest));
  const ServerState grown = task_.model->grown(task_, before);
  VersionRecord version = newest;
  version.again = newest.number;
  version.number = newest.number + 1;
  version.model_hash = hash_rows(grown.shared);
  version.time_ms = now_ms;
  version.trial = std::nullopt;  // that of the one before is over, and what others kept has too few rows
  SOTTO_TRY(version.master, around_.store.put_blob(master_blob(grown)));
  SOTTO_TRY_DONE(around_.store.grow_task(config_.spec.SerializeAsString(), version));
  log(LogLevel::info, "catalogue grew",
      {{"items", fmt::format("{}", task_.items)}, {"version", fmt::format("{}", version.number)}});
  return Done{};
}

Result<std::unique_ptr<TaskRun>> TaskRun::grown(const TaskConfig& config, std::int64_t now_ms) {
  stop_evaluations(now_ms);
  if (round_) abandon("the catalogue grew", now_ms);
  drop_members(false, [](const Member&) { return true; });
  SOTTO_TRY(const std::vector<RoundRecord> open, around_.store.open_rounds());
  if (std::ranges::any_of(open, [&](const RoundRecord& round) { return round.task == task_.name; }))
    return fail(Code::io, fmt::format("task '{}' cannot grow before the end of its round is written: make "
                                      "room on the disk and start the coordinator again",
                                      task_.name));
  SOTTO_TRY(const std::vector<TaskRecord> records, around_.store.tasks());
  for (const TaskRecord& record : records)
    if (record.name == task_.name) return TaskRun::open(config, &record, around_, now_ms);
  return fail(Code::bad_input, fmt::format("task '{}' is not in the store any more", task_.name));
}

}  // namespace sotto::server
