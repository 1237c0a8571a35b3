// Console: what a person sees. Text that belongs to the answer goes to stdout, all else to stderr.
//
// Laws: colours only on a terminal, and never with NO_COLOR set or TERM=dumb; columns line up by what
// is seen (UTF-8), not by bytes; lines are broken for a terminal alone, never in what goes to a file or a
// pipe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::engine {

enum class Tone : std::uint8_t { plain, strong, dim, accent, good, warn };

class Console {
 public:
  // Looks at the two streams and the environment.
  [[nodiscard]] static Console detect();

  void print(std::string_view text) const;  // to stdout, for a person: a terminal's lines are not overrun
  void write(std::string_view text) const;  // to stdout, for a program: as it is
  void note(std::string_view line) const;   // to stderr, for a person, with a line end
  // The text in a tone, if stdout shows colours.
  [[nodiscard]] std::string paint(Tone tone, std::string_view text) const;

  [[nodiscard]] bool shows_progress() const { return error_is_terminal_; }
  // Columns that a line on stdout may take: those of its terminal, else COLUMNS; no limit where there is
  // neither.
  [[nodiscard]] std::size_t width() const;
  // The same of stderr.
  [[nodiscard]] std::size_t note_width() const;
  // Columns of a text that is broken into lines everywhere: the same, else 80; at most 100.
  [[nodiscard]] std::size_t prose_width() const;

  // The whole command as a person typed it, for pages that say how they were made.
  [[nodiscard]] const std::string& typed() const { return typed_; }
  void remember_typed(int count, const char* const* words);

  // Fails when what was printed did not arrive (a full disk, a closed pipe).
  [[nodiscard]] Status flush() const;
  // Whether whoever read stdout has gone, such as `head` when it had enough.
  [[nodiscard]] static bool reader_is_gone();

 private:
  bool output_is_terminal_ = false;
  bool error_is_terminal_ = false;
  bool colours_ = false;
  std::string typed_;
};

// Columns that a text takes on a terminal: combining marks and colours none, wide East Asian letters two.
[[nodiscard]] std::size_t display_width(std::string_view utf8);
// At most `columns` wide; a cut is marked with an ellipsis.
[[nodiscard]] std::string shortened(std::string_view utf8, std::size_t columns);
enum class LongWords : std::uint8_t { cut, stay };
// The text in lines of at most so many columns, broken at blanks; a word that is longer stays, or is cut,
// after a comma or the like if there is one.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view utf8, std::size_t columns,
                                               LongWords long_words = LongWords::cut);
// A text's lines that are wider, each wrapped and continued below the last of its columns (two blanks begin
// one). Commands stay in one line, to be copied.
[[nodiscard]] std::string fitted(std::string_view utf8, std::size_t columns);

[[nodiscard]] std::string human_count(std::uint64_t count);       // 1,234,567
[[nodiscard]] std::string human_bytes(double bytes);              // 1.2 MB
[[nodiscard]] std::string human_number(double number);            // 3.1 M
[[nodiscard]] std::string human_seconds(double seconds);          // 0.31 s, 12 s, 3 min 05 s
[[nodiscard]] std::string human_time(std::int64_t unix_seconds);  // 2023-01-31 18:05
// A curve as a line of small bars, one a value.
[[nodiscard]] std::string sparkline(const std::vector<double>& values);
// At most so many points: the means of even stretches.
[[nodiscard]] std::vector<double> thinned(const std::vector<double>& values, std::size_t points);
// "a word" as a shell takes it, quoted only if needed.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace sotto::engine
