#include "cli/reading_progress.h"

#include <fmt/format.h>

namespace sotto::cli {

ReadProgress ReadingProgress::hook() {
  return [this](std::uint64_t more) -> Status {
    bytes_ += more;
    if (interrupt_.stop().load()) return fail(Code::cancelled, "stopped: nothing was written");
    const auto pause = console_.shows_progress() ? std::chrono::milliseconds(200) : std::chrono::seconds(10);
    if (!quiet_ && Clock::now() - last_ >= pause) show();
    return Done{};
  };
}

void ReadingProgress::show() {
  last_ = Clock::now();
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  const auto bytes = static_cast<double>(bytes_);
  const std::string line =
      fmt::format("reading: {}, {} per second", human_bytes(bytes), human_bytes(bytes / seconds));
  if (!console_.shows_progress()) return console_.note(line);
  fmt::print(stderr, "\r\033[K{}", shortened(line, console_.note_width() - 1));
  drawn_ = true;
}

void ReadingProgress::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace sotto::cli
