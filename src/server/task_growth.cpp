// What a task has of its catalogue, and how it goes on with other rules and more items.
#include <fmt/core.h>

#include "base/row_hash.h"
#include "fed/models/weighed_task.h"
#include "server/master_blob.h"
#include "server/task_run.h"

namespace sotto::server {

namespace {

// As a device will read it.
Result<std::shared_ptr<const TaskCatalogue>> catalogue_of(const v1::TaskSpec& spec, std::string_view packed) {
  auto read = read_catalogue(packed, spec.items());
  if (!read.ok())
    return chained(read.error(), fmt::format("task '{}' of {} items", spec.name(), spec.items()));
  if ((*read)->names.size() != spec.items())
    return fail(Code::usage, fmt::format("task '{}' has {} items and a catalogue of {} names", spec.name(),
                                         spec.items(), (*read)->names.size()));
  return read;
}

// The bytes that were given out before, and what came behind them.
Result<std::string> packed_after(const v1::TaskSpec& known, const TaskCatalogue& after, Store& store) {
  SOTTO_TRY(std::string packed, store.blob(known.catalogue().hash()));
  SOTTO_TRY(const auto before, read_catalogue(packed, known.items()));
  if (encode_catalogue(*before) == encode_catalogue(after)) return packed;
  if (const Status kept = check_grown(*before, after); !kept.ok())
    return chained(kept.error(), fmt::format("task '{}' in the store", known.name()));
  if (after.names.size() == before->names.size())
    return fail(Code::incompatible,
                fmt::format("task '{}' is in the store with a catalogue that says something else of the same "
                            "items: put it back, or begin another task",
                            known.name()));
  packed = pack_grown(packed, *before, after);
  SOTTO_TRY(const std::string hash, store.put_blob(packed));
  return packed;
}

}  // namespace

Status TaskRun::take_catalogue(const v1::TaskSpec* known) {
  if (config_.catalogue.empty()) return fed::check_known(task_, known_of(nullptr));
  std::string packed = pack_catalogue(config_.catalogue);
  SOTTO_TRY(const auto catalogue, catalogue_of(config_.spec, packed));
  SOTTO_TRY_DONE(fed::check_known(task_, known_of(catalogue.get())));
  if (known != nullptr && known->has_catalogue()) {
    SOTTO_TRY(packed, packed_after(*known, *catalogue, around_.store));
  } else {
    SOTTO_TRY(const std::string hash, around_.store.put_blob(packed));
  }
  config_.spec.mutable_catalogue()->set_hash(blob_hash(packed));
  config_.spec.mutable_catalogue()->set_bytes(packed.size());
  catalogue_ = std::make_shared<const std::string>(std::move(packed));
  return Done{};
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

Status TaskRun::can_reload(const TaskConfig& config) const {
  SOTTO_TRY_DONE(check(config));
  const RoundRules& rules = config.rules;
  const RoundRules& before = config_.rules;
  const bool same_dp =
      config.dp.has_value() == config_.dp.has_value() &&
      (!config.dp || (config.dp->epsilon == config_.dp->epsilon && config.dp->delta == config_.dp->delta &&
                      config.dp->noise_multiplier == config_.dp->noise_multiplier));
  const bool drawn = before.selection == RoundRules::Selection::drawn;
  v1::TaskSpec spec = config.spec;
  *spec.mutable_catalogue() = config_.spec.catalogue();
  if (!config_.spec.has_catalogue()) spec.clear_catalogue();
  const bool same_noise = config.evaluation == config_.evaluation;
  const bool same_catalogue = config.catalogue == config_.catalogue;
  if (spec.model() == config_.spec.model()) {
    SOTTO_TRY_DONE(check_growth(config_.spec, spec));
    if (!config.catalogue.empty() && (!same_catalogue || config.spec.items() > config_.spec.items())) {
      SOTTO_TRY(const auto kept, read_catalogue(pack_catalogue(config_.catalogue), config_.spec.items()));
      SOTTO_TRY(const auto after, catalogue_of(spec, pack_catalogue(config.catalogue)));
      if (const Status grows = check_grown(*kept, *after); !grows.ok())
        return chained(grows.error(), fmt::format("task '{}'", task_.name));
    }
  }
  const bool same_task = is_grown(config_.spec, spec) ||
                         (same_catalogue && spec.SerializeAsString() == config_.spec.SerializeAsString());
  if (!same_task || !same_dp || !same_noise || rules.mode != before.mode ||
      rules.selection != before.selection || rules.population != before.population ||
      (drawn && rules.goal != before.goal) || rules.max_staleness != before.max_staleness)
    return fail(
        Code::usage,
        fmt::format("task '{}': what can be reloaded is {}quorum, rounds, over_selection, the times, "
                    "what a device must have, and items behind those that are there; what a task computes, "
                    "its mode, selection, population, max_staleness and noise stay: put them back, or begin "
                    "another task",
                    task_.name, drawn ? "" : "goal, "));
  return Done{};
}

Status TaskRun::end_for_growth(std::int64_t now_ms) {
  if (judging_) judging_->stop(now_ms);
  if (round_) abandon("the catalogue grew", now_ms);
  drop_members(false, [](const Member&) { return true; });
  SOTTO_TRY(const std::vector<RoundRecord> open, around_.store.open_rounds());
  for (RoundRecord round : open) {
    if (round.task != task_.name) continue;
    round.state = RoundState::abandoned;  // now, or before, when it could not be written
    round.closed_ms = now_ms;
    round.why = "the catalogue grew";
    if (const Status ended = around_.store.abandon_round(round, sum_->budget()); !ended.ok())
      return chained(ended.error(), fmt::format("task '{}' cannot grow before the end of its round is "
                                                "written",
                                                task_.name));
  }
  return Done{};
}

}  // namespace sotto::server
