// TaskPool: threads that take one task each; a thread without a task helps the loops of those that have one.
//
// So a long list of tasks runs one thread a task, and the last ones share all threads. Laws: add() may be
// called from anywhere, tasks included; each task runs once. What a task computes must not depend on its
// helpers (base/executor.h).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <mutex>

#include "base/executor.h"

namespace sotto::lab {

class TaskPool {
 public:
  using Task = std::function<void(Executor&)>;

  explicit TaskPool(std::size_t threads);  // 0: as many as the machine has

  [[nodiscard]] std::size_t threads() const { return threads_; }
  void add(Task task);
  // Until no task is left. This thread is one of the pool.
  void run();

 private:
  // A loop that wants help.
  struct Loop {
    const std::function<void(std::size_t)>* work = nullptr;
    std::size_t next = 0;
    std::size_t shards = 0;
    std::size_t running = 0;
    std::exception_ptr problem;
  };
  class Member;

  void worker();
  void start_task(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Loop* open_loop();
  void take_shard(Loop& loop, std::unique_lock<std::mutex>& lock);
  void run_loop(std::size_t shards, const std::function<void(std::size_t)>& work);

  std::size_t threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  std::size_t running_ = 0;
  std::list<Loop> loops_;
};

}  // namespace sotto::lab
