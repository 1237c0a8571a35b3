#include "cli/sweep_progress.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto::cli {

namespace {

constexpr double seconds_between_sweep_frames = 0.1;
constexpr double seconds_between_sweep_lines = 2.0;

std::string facts(const StudyProgress& progress) {
  if (progress.total == 0) return progress.note;
  std::string text = progress.study.empty() ? "" : progress.study + ": ";
  text += fmt::format("{}/{} cells", human_count(progress.finished), human_count(progress.total));
  if (progress.failed > 0) text += fmt::format(" · {} failed", human_count(progress.failed));
  if (std::isfinite(progress.left_seconds) && progress.finished < progress.total)
    text += fmt::format(" · {} left", human_seconds(progress.left_seconds));
  return text + " · " + progress.note;
}

}  // namespace

void SweepProgress::update(const StudyProgress& progress) {
  const bool news = progress.failed > failed_;
  failed_ = progress.failed;
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  const bool draws = console_.shows_progress();
  const double since = std::chrono::duration<double>(now - last_).count();
  if (!news && since < (draws ? seconds_between_sweep_frames : seconds_between_sweep_lines)) return;
  last_ = now;
  if (news || !draws) {
    clear();
    console_.note(facts(progress));
    return;
  }
  fmt::print(stderr, "\r\033[K{}", shortened(facts(progress), console_.note_width() - 1));
  std::fflush(stderr);
  drawn_ = true;
}

void SweepProgress::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace sotto::cli
