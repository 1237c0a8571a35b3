// Progress of a sweep on stderr: a line that redraws itself on a terminal, else one now and then. Failed
// cells are always told.
#pragma once

#include <chrono>

#include "engine/terminal/console.h"
#include "lab/study/run_study.h"

namespace sotto::cli {

class SweepProgress {
 public:
  SweepProgress(const Console& console, bool quiet) : console_(console), quiet_(quiet) {}
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;
  ~SweepProgress() { clear(); }

  void update(const StudyProgress& progress);
  // Takes the line off the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  bool quiet_;
  bool drawn_ = false;
  std::uint64_t failed_ = 0;
  Clock::time_point last_{};
};

}  // namespace sotto::cli
