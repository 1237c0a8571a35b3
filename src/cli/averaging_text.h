// Federated averaging for the terminal: a line of progress, and a run's summary.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/terminal/console.h"
#include "lab/averaging/averaging_run.h"

namespace sotto {

// A line that redraws itself on a terminal, else one now and then.
class AveragingProgress {
 public:
  AveragingProgress(const Console& console, std::uint32_t rounds, bool quiet)
      : console_(console), rounds_(rounds), quiet_(quiet) {}
  AveragingProgress(const AveragingProgress&) = delete;
  AveragingProgress& operator=(const AveragingProgress&) = delete;
  ~AveragingProgress();

  void update(const AveragingRound& round);

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  std::uint32_t rounds_;
  bool quiet_;
  bool drawn_ = false;
  std::uint32_t done_ = 0;  // rounds of this sitting
  double accuracy_ = 0.0;   // of the last look
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

// What outcome_json() says, for people.
[[nodiscard]] std::string averaging_text(const nlohmann::json& summary, const Console& console);

}  // namespace sotto
