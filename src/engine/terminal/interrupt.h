// Ctrl-C while something long runs: the first one asks for a clean stop, the second ends the program.
#pragma once

#include <atomic>
#include <csignal>

#include "base/layers.h"

namespace sotto::engine {

// While it lives, SIGINT and SIGTERM set stop() instead of ending the program. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  [[nodiscard]] const std::atomic<bool>& stop() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace sotto::engine
