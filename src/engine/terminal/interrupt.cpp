#include "engine/terminal/interrupt.h"

#include <unistd.h>

namespace sotto::engine {

namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait");

extern "C" void on_signal(int /*number*/) {
  if (stop_asked.exchange(true)) ::_exit(130);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_asked = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &interrupt_before_);
  ::sigaction(SIGTERM, &action, &terminate_before_);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
}

const std::atomic<bool>& InterruptGuard::stop() const { return stop_asked; }

}  // namespace sotto::engine
