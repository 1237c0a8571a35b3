// Progress of a training on stderr: a bar that redraws itself on a terminal, else a line now and then.
#pragma once

#include <chrono>
#include <string>

#include "engine/terminal/console.h"
#include "engine/train/training.h"

namespace sotto::engine {

class Progress {
 public:
  // `title` says what is trained. Quiet: nothing is shown.
  Progress(const Console& console, std::string title, bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void update(const TrainProgress& progress);
  // Takes the bar off the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string facts(const TrainProgress& progress) const;
  void draw(const TrainProgress& progress);

  const Console& console_;
  std::string title_;
  bool quiet_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_;         // when something was shown
  std::uint64_t first_round_ = 0;  // where this session began
  std::uint64_t triples_ = 0;      // of this session
};

}  // namespace sotto::engine
