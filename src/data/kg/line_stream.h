// Text that arrives in pieces, and the walk over its lines: for files larger than memory.
//
// Laws: no file is opened here; a line lives until the next one is asked for; memory grows with the longest
// line, which is bounded. Lines are those of LineReader (data/text_source.h): blank ones are left out and
// counted, ends are LF or CRLF. A byte order mark at the start is dropped.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::data {

// Fills the front of the buffer and says how much; 0: the end.
using ByteSource = std::function<Result<std::size_t>(std::span<char>)>;

// A source in memory; the text must outlive it.
[[nodiscard]] ByteSource bytes_of(std::string_view text);

// A source with the name that messages call it.
struct NamedSource {
  std::string name;
  ByteSource bytes;
};

class LineStream {
 public:
  explicit LineStream(NamedSource source) : source_(std::move(source)) {}
  // False at the end. Fails where the source does, and on a line that does not end.
  [[nodiscard]] Result<bool> next(std::string_view& line);
  // Of the line last read, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const std::string& name() const { return source_.name; }

 private:
  [[nodiscard]] Status fill();

  NamedSource source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t number_ = 0;
  bool ended_ = false;
};

// What is done about lines that do not say what they should: skipped and counted, or the end.
struct BrokenLines {
  bool fatal = false;
  std::uint64_t count = 0;
  std::string first;  // "file, line 17: what", of the first that was skipped

  // The error, where broken lines are fatal.
  [[nodiscard]] Status add(const std::string& name, std::size_t line, const std::string& what);
};

}  // namespace sotto::data
