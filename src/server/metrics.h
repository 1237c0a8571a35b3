// Metrics: what a coordinator counts, as Prometheus reads it (text format 0.0.4).
// Laws: counters only rise; nothing in them tells one device from another. Counting takes no lock.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "fed/wire/transport.h"

namespace sotto::server {

class Metrics {
 public:
  void count_call(Method method, v1::Refusal refusal, std::size_t up, std::size_t down) {
    add(calls_[static_cast<std::size_t>(method)], 1);
    add(refusals_[static_cast<std::size_t>(refusal)], 1);
    add(bytes_up_, up);
    add(bytes_down_, down);
  }
  void count_exchange() { add(exchanges_, 1); }  // a contribution that was taken
  void count_round(bool committed, std::int64_t took_ms) {
    add(committed ? committed_ : abandoned_, 1);
    add(round_ms_, static_cast<std::uint64_t>(took_ms < 0 ? 0 : took_ms));
  }
  // Members of a secure sum that were found lying, and those of whom nobody can say which of two did.
  void count_conduct(std::size_t named, std::size_t disputed) {
    add(named_, named);
    add(disputed_, disputed);
  }
  [[nodiscard]] std::uint64_t exchanges() const { return exchanges_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::string text() const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  static void add(Counter& counter, std::uint64_t more) {
    counter.fetch_add(more, std::memory_order_relaxed);
  }
  std::array<Counter, 5> calls_{};
  std::array<Counter, v1::Refusal_ARRAYSIZE> refusals_{};
  Counter bytes_up_{0}, bytes_down_{0}, exchanges_{0}, committed_{0}, abandoned_{0}, round_ms_{0};
  Counter named_{0}, disputed_{0};
};

// One gauge: its help, then its line.
[[nodiscard]] std::string gauge_text(const char* name, const char* help, double value);

}  // namespace sotto::server
