// What time and the daemon ask of a coordinator: deadlines, another configuration, the end.
#include <fmt/core.h>

#include <algorithm>

#include "server/coordinator.h"

namespace sotto::server {

namespace {

constexpr std::int64_t save_every_ms = 5'000;

}  // namespace

void Coordinator::tick(std::int64_t now_ms) {
  std::unique_lock hold(lock_);
  now_ms_ = std::max(now_ms_, now_ms);
  for (const auto& task : tasks_) task->tick(now_ms);
  release(hold, now_ms);
  if (now_ms - saved_ms_ < save_every_ms) return;
  saved_ms_ = now_ms;
  save_seen();
  open_unread();
}

Status Coordinator::grow(std::unique_ptr<TaskRun>& task, const TaskConfig& config) {
  const auto fails = [&](LogLevel level, const char* message, const Error& why) {
    log_.line({level, config.spec.name(), std::nullopt, message, {{"cause", why.message}}});
    return why;
  };
  constexpr const char* as_before = "the catalogue did not grow; the task goes on with the items it has";
  if (const Status ended = task->end_for_growth(now_ms_); !ended.ok())
    return fails(LogLevel::warning, as_before, ended.error());
  auto grown = open_task(config, now_ms_);
  if (grown.ok()) return task = std::move(*grown), Done{};
  const Error why = grown.error();
  const auto newest = store_.versions(config.spec.name(), 1);
  if (newest.ok() && !newest->empty() && newest->front().number == task->version().number)
    return fails(LogLevel::warning, as_before, why);
  if (grown = open_task(config, now_ms_); grown.ok()) {
    (void)fails(LogLevel::warning, "the catalogue grew, although the store failed meanwhile", why);
    return task = std::move(*grown), Done{};
  }
  unread_.push_back(config);
  task.reset();
  return fails(LogLevel::error,
               "the store failed while the catalogue grew; the task goes on when the store can be read", why);
}

void Coordinator::open_unread() {
  std::erase_if(unread_, [&](const TaskConfig& config) {
    auto run = open_task(config, now_ms_);
    if (!run.ok()) return false;
    tasks_.push_back(std::move(*run));
    log_.line({LogLevel::info,
               config.spec.name(),
               std::nullopt,
               "the store can be read; the task goes on",
               {{"items", fmt::format("{}", config.spec.items())}}});
    return true;
  });
}

void Coordinator::release(std::unique_lock<std::mutex>& hold, std::int64_t now_ms) {
  for (std::size_t n = 0; n < tasks_.size(); ++n) {
    TaskRun& task = *tasks_[n];
    if (!task.next().take()) continue;
    hold.unlock();
    task.next().compute();
    hold.lock();
    task.conclude(std::max(now_ms, now_ms_));
    released_.notify_all();
  }
}

void Coordinator::wait_for_releases(std::unique_lock<std::mutex>& hold) {
  released_.wait(hold, [&] {
    return std::ranges::none_of(tasks_, [](const auto& task) { return task->next().is_under_way(); });
  });
}

void Coordinator::save_seen() {
  if (const Status saved = registry_.save_seen(store_); !saved.ok())
    log_.line({LogLevel::error,
               "",
               std::nullopt,
               "check-ins could not be written; they are tried again",
               {{"cause", saved.error().message}}});
}

void Coordinator::stop() {
  std::unique_lock hold(lock_);
  stopping_ = true;
  do {  // once more, where a round was being released
    for (const auto& task : tasks_) task->stop(now_ms_);
    release(hold, now_ms_);
    wait_for_releases(hold);
  } while (std::ranges::any_of(tasks_, [](const auto& task) { return task->open_round().has_value(); }));
  for (const auto& task : tasks_) task->stop(now_ms_);  // who waited in a buffer for the next round
  save_seen();
}

bool Coordinator::idle() const {
  const std::lock_guard hold(lock_);
  return std::all_of(tasks_.begin(), tasks_.end(), [](const auto& task) { return !task->open_round(); });
}

Status Coordinator::reload(const CoordinatorOptions& options, const std::vector<TaskConfig>& tasks) {
  SOTTO_TRY_DONE(check(options));
  std::unique_lock hold(lock_);
  wait_for_releases(hold);
  std::vector<const TaskConfig*> fresh;
  for (const TaskConfig& config : tasks) {
    if (const TaskRun* task = find_task(config.spec.name()))
      SOTTO_TRY_DONE(task->can_reload(config));
    else
      fresh.push_back(&config);
  }
  std::vector<std::unique_ptr<TaskRun>> opened;  // all of them, or nothing is taken
  for (const TaskConfig* config : fresh) {
    SOTTO_TRY(auto run, open_task(*config, now_ms_));
    opened.push_back(std::move(run));
  }
  Status grown = Done{};
  for (auto& task : tasks_) {
    for (const TaskConfig& config : tasks) {
      if (config.spec.name() != task->name()) continue;
      if (config.spec.items() <= task->config().spec.items()) {
        task->reload(config);
      } else {
        grown = grow(task, config);
      }
      break;
    }
    if (!grown.ok()) break;
  }
  std::erase(tasks_, nullptr);
  SOTTO_TRY_DONE(grown);
  for (auto& run : opened) tasks_.push_back(std::move(run));
  std::erase_if(unread_, [&](const TaskConfig& config) { return find_task(config.spec.name()) != nullptr; });
  options_ = options;
  around_.most_upload_bytes = options.most_upload_bytes;
  around_.conduct.set_keep_out(options.keep_out_ms);
  return Done{};
}

}  // namespace sotto::server
