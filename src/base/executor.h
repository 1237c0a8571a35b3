// Work in parallel without knowing threads: the caller names shards, the executor runs them.
// Law: results must not depend on how many run at once; sum with integers, or write by shard.
#pragma once

#include <cstddef>
#include <functional>

#include "base/layers.h"

namespace sotto::base {

class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  // How many shards may run at once.
  [[nodiscard]] virtual std::size_t threads() const = 0;
  // Runs work(0), …, work(shards − 1), each once, and returns when all are done.
  virtual void run(std::size_t shards, const std::function<void(std::size_t)>& work) = 0;
  // For a shard that can do nothing until another one that runs has got on: lets it.
  virtual void give_way() {}
};

class SerialExecutor final : public Executor {
 public:
  [[nodiscard]] std::size_t threads() const override { return 1; }
  void run(std::size_t shards, const std::function<void(std::size_t)>& work) override {
    for (std::size_t shard = 0; shard < shards; ++shard) work(shard);
  }
};

}  // namespace sotto::base
