#include "engine/terminal/ask_secret.h"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace sotto::engine {

namespace {

constexpr char given_up = '\x03';  // Ctrl-C, which the terminal hands over as a letter here
constexpr char end_of_input = '\x04';
constexpr char begin_again = '\x15';        // Ctrl-U
constexpr std::size_t most_letters = 1024;  // what it never outgrows is never copied, and is wiped whole

// The last letter, of UTF-8 too.
void take_back(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

class QuietTerminal {
 public:
  QuietTerminal() {
    is_changed_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
    termios quiet = before_;
    // Letter by letter: a terminal that hands over lines would keep Ctrl-C to itself until the line ends.
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG | ICANON);
    quiet.c_cc[VMIN] = 1;
    quiet.c_cc[VTIME] = 0;
    if (is_changed_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
  }
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;
  ~QuietTerminal() {
    if (is_changed_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }

 private:
  bool is_changed_ = false;
  termios before_{};
};

}  // namespace

bool can_ask() { return ::isatty(STDIN_FILENO) == 1; }

Result<Passphrase> ask_secret(const std::string& prompt) {
  Passphrase typed{std::string()};
  typed.text.reserve(most_letters);
  const QuietTerminal quiet;
  fmt::print(stderr, "{}: ", prompt);
  bool whole = false;
  while (!whole && typed.text.size() < most_letters) {
    char letter = 0;
    const ssize_t got = ::read(STDIN_FILENO, &letter, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1 || letter == given_up || letter == end_of_input) break;
    whole = letter == '\n';
    if (letter == begin_again) {
      typed.text.clear();
    } else if (letter == '\b' || letter == '\x7f') {
      take_back(typed.text);
    } else if (!whole) {
      typed.text.push_back(letter);
    }
  }
  fmt::print(stderr, "\n");
  if (!whole) return fail(Code::cancelled, "no passphrase was given: nothing was changed");
  return typed;
}

}  // namespace sotto::engine
