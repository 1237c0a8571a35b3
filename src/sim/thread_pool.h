// ThreadPool: the Executor with threads. Threads wait between calls; run() takes part itself.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/executor.h"

namespace sotto::sim {

class ThreadPool final : public Executor {
 public:
  explicit ThreadPool(std::size_t threads);  // 0: as many as the machine has
  ~ThreadPool() override;

  [[nodiscard]] std::size_t threads() const override { return workers_.size() + 1; }
  void run(std::size_t shards, const std::function<void(std::size_t)>& work) override;
  void give_way() override { std::this_thread::yield(); }

 private:
  void worker_loop();
  // Takes shards until none is left.
  void take_shards(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t next_ = 0;
  std::size_t shards_ = 0;
  std::size_t running_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace sotto::sim
