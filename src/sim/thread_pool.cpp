#include "sim/thread_pool.h"

#include <algorithm>

namespace sotto::sim {

ThreadPool::ThreadPool(std::size_t threads) {
  if (threads == 0) threads = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  workers_.reserve(threads - 1);
  for (std::size_t n = 1; n < threads; ++n) workers_.emplace_back([this] { worker_loop(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::take_shards(std::unique_lock<std::mutex>& lock) {
  while (next_ < shards_) {
    const std::size_t shard = next_++;
    ++running_;
    lock.unlock();
    (*work_)(shard);
    lock.lock();
    --running_;
  }
}

void ThreadPool::worker_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || next_ < shards_; });
    if (stop_) return;
    take_shards(lock);
    if (running_ == 0) idle_.notify_one();
  }
}

void ThreadPool::run(std::size_t shards, const std::function<void(std::size_t)>& work) {
  if (shards <= 1 || workers_.empty()) {
    for (std::size_t shard = 0; shard < shards; ++shard) work(shard);
    return;
  }
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  shards_ = shards;
  wake_.notify_all();
  take_shards(lock);
  idle_.wait(lock, [this] { return running_ == 0; });
  shards_ = 0;
  next_ = 0;
}

}  // namespace sotto::sim
