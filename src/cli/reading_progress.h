// Progress of reading large files, on stderr: how much, and how fast. Ctrl-C ends the reading.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/files/file_stream.h"
#include "engine/terminal/console.h"
#include "engine/terminal/interrupt.h"

namespace sotto::cli {

class ReadingProgress {
 public:
  ReadingProgress(const Console& console, bool quiet) : console_(console), quiet_(quiet) {}
  ReadingProgress(const ReadingProgress&) = delete;
  ReadingProgress& operator=(const ReadingProgress&) = delete;
  ~ReadingProgress() { clear(); }

  // To be told of each piece; must not outlive this.
  [[nodiscard]] ReadProgress hook();
  // Takes the line off the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show();

  const Console& console_;
  bool quiet_;
  bool drawn_ = false;
  InterruptGuard interrupt_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  std::uint64_t bytes_ = 0;
};

}  // namespace sotto::cli
