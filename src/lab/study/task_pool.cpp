#include "lab/study/task_pool.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace sotto::lab {

// What a task gets: as many shards at once as may find helpers.
class TaskPool::Member final : public Executor {
 public:
  Member(TaskPool& pool, std::size_t width) : pool_(pool), width_(width) {}
  [[nodiscard]] std::size_t threads() const override { return width_; }
  void run(std::size_t shards, const std::function<void(std::size_t)>& work) override {
    if (shards > 1 && width_ > 1) return pool_.run_loop(shards, work);
    for (std::size_t shard = 0; shard < shards; ++shard) work(shard);
  }
  void give_way() override { std::this_thread::yield(); }

 private:
  TaskPool& pool_;
  std::size_t width_;
};

TaskPool::TaskPool(std::size_t threads)
    : threads_(threads != 0 ? threads : std::max<std::size_t>(std::thread::hardware_concurrency(), 1)) {}

void TaskPool::add(Task task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  changed_.notify_all();
}

void TaskPool::run() {
  std::vector<std::thread> others;
  for (std::size_t n = 1; n < threads_; ++n) others.emplace_back([this] { worker(); });
  worker();
  for (std::thread& other : others) other.join();
}

void TaskPool::worker() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!waiting_.empty()) {
      start_task(lock);
    } else if (Loop* loop = open_loop(); loop != nullptr) {
      take_shard(*loop, lock);
    } else if (running_ == 0) {
      return;
    } else {
      changed_.wait(lock);
    }
  }
}

void TaskPool::start_task(std::unique_lock<std::mutex>& lock) {
  const Task task = std::move(waiting_.front());
  waiting_.pop_front();
  ++running_;
  // More shards than helpers cost memory: a crowd of tasks gets one each, the last few share the threads.
  const std::size_t crowd = running_ + waiting_.size();
  Member member(*this, std::min(threads_, 1 + threads_ / crowd));
  lock.unlock();
  task(member);
  lock.lock();
  --running_;
  changed_.notify_all();
}

TaskPool::Loop* TaskPool::open_loop() {
  for (Loop& loop : loops_)
    if (loop.next < loop.shards) return &loop;
  return nullptr;
}

void TaskPool::take_shard(Loop& loop, std::unique_lock<std::mutex>& lock) {
  const std::size_t shard = loop.next++;
  ++loop.running;
  lock.unlock();
  std::exception_ptr problem;
  try {
    (*loop.work)(shard);
  } catch (...) {
    problem = std::current_exception();  // for the thread whose loop it is
  }
  lock.lock();
  if (problem) loop.problem = problem;
  if (--loop.running == 0 && loop.next == loop.shards) changed_.notify_all();
}

void TaskPool::run_loop(std::size_t shards, const std::function<void(std::size_t)>& work) {
  std::unique_lock lock(mutex_);
  const auto loop = loops_.insert(loops_.end(), Loop{&work, 0, shards, 0, {}});
  changed_.notify_all();
  while (loop->next < loop->shards) take_shard(*loop, lock);
  changed_.wait(lock, [&] { return loop->running == 0; });
  const std::exception_ptr problem = loop->problem;
  loops_.erase(loop);
  lock.unlock();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace sotto::lab
