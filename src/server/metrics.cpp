#include "server/metrics.h"

#include <fmt/core.h>

namespace sotto::server {

namespace {

std::string head(const char* name, const char* help, const char* type) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

std::string counter(const char* name, const char* help, std::uint64_t value) {
  return head(name, help, "counter") + fmt::format("{} {}\n", name, value);
}

}  // namespace

std::string gauge_text(const char* name, const char* help, double value) {
  return head(name, help, "gauge") + fmt::format("{} {}\n", name, value);
}

std::string Metrics::text() const {
  const auto value = [](const Counter& one) { return one.load(std::memory_order_relaxed); };
  std::string text = head("sotto_calls_total", "Calls by method.", "counter");
  for (std::size_t n = 0; n < calls_.size(); ++n)
    text += fmt::format("sotto_calls_total{{method=\"{}\"}} {}\n", to_string(static_cast<Method>(n)),
                        value(calls_[n]));
  text += head("sotto_refusals_total", "Refused calls by reason.", "counter");
  for (std::size_t n = 1; n < refusals_.size(); ++n)
    text += fmt::format("sotto_refusals_total{{reason=\"{}\"}} {}\n",
                        v1::Refusal_Name(static_cast<v1::Refusal>(n)), value(refusals_[n]));
  text += counter("sotto_exchanges_total", "Contributions taken.", value(exchanges_));
  text += counter("sotto_bytes_up_total", "Bytes of requests.", value(bytes_up_));
  text += counter("sotto_bytes_down_total", "Bytes of replies.", value(bytes_down_));
  text += counter("sotto_rounds_committed_total", "Rounds that made a version.", value(committed_));
  text += counter("sotto_rounds_abandoned_total", "Rounds that were given up.", value(abandoned_));
  text += counter("sotto_sum_members_named_total", "Members found lying in a secure sum.", value(named_));
  text += counter("sotto_sum_members_disputed_total", "Members in a dispute that nobody can decide.",
                  value(disputed_));
  text += head("sotto_round_seconds", "Time from opening to the end of a round.", "summary");
  text += fmt::format("sotto_round_seconds_sum {}\nsotto_round_seconds_count {}\n",
                      static_cast<double>(value(round_ms_)) / 1000.0, value(committed_) + value(abandoned_));
  return text;
}

}  // namespace sotto::server
