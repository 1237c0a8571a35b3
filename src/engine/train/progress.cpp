#include "engine/train/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto::engine {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr double seconds_between_frames = 0.2;
constexpr double seconds_between_lines = 4.0;

// Half columns, so that the bar moves smoothly.
std::string bar(double share, std::size_t columns) {
  const auto halves = static_cast<std::size_t>(share * static_cast<double>(columns) * 2.0);
  std::string text;
  for (std::size_t n = 0; n < columns; ++n) text += n * 2 + 1 < halves ? "━" : n * 2 < halves ? "╸" : " ";
  return text;
}

}  // namespace

Progress::Progress(const Console& console, std::string title, bool quiet)
    : console_(console), title_(std::move(title)), quiet_(quiet), last_(start_) {}

std::string Progress::facts(const TrainProgress& progress) const {
  const double elapsed = Seconds(Clock::now() - start_).count();
  const auto done = static_cast<double>(progress.round - first_round_);
  const auto left = static_cast<double>(progress.rounds - progress.round);
  std::string text = fmt::format("round {}/{}", human_count(progress.round), human_count(progress.rounds));
  if (elapsed > 0.0)
    text += fmt::format(" · {} {}/s", human_number(static_cast<double>(triples_) / elapsed),
                        progress.own != nullptr ? "examples" : "triples");
  if (progress.accuracy) text += fmt::format(" · accuracy {:.1f}%", 100.0 * *progress.accuracy);
  text += fmt::format(" · loss {:.4f}", progress.loss);
  if (done > 0.0) text += fmt::format(" · {} left", human_seconds(elapsed * left / done));
  return text;
}

void Progress::draw(const TrainProgress& progress) {
  const double share =
      static_cast<double>(progress.round) / static_cast<double>(std::max<std::uint64_t>(progress.rounds, 1));
  const std::string text = facts(progress);
  const std::size_t room = console_.note_width() - 1;
  const std::size_t taken = display_width(title_) + display_width(text) + 9;
  const std::size_t columns = room > taken + 8 ? std::min<std::size_t>(room - taken, 24) : 0;
  const std::string line = fmt::format("{} {} {:3.0f}% {}", title_, bar(share, columns), share * 100.0, text);
  fmt::print(stderr, "\r\033[K{}", shortened(line, room));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::update(const TrainProgress& progress) {
  if (triples_ == 0) first_round_ = progress.round - progress.since_last.rounds;
  triples_ += progress.since_last.triples;
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  const bool bars = console_.shows_progress();
  if (Seconds(now - last_).count() < (bars ? seconds_between_frames : seconds_between_lines)) return;
  last_ = now;
  if (bars) {
    draw(progress);
  } else {
    console_.note(
        fmt::format("{}: epoch {}/{} · {}", title_, progress.epoch, progress.epochs, facts(progress)));
  }
}

void Progress::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace sotto::engine
