#include "data/kg/line_stream.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "data/text_source.h"

namespace sotto::data {

namespace {

constexpr std::size_t bytes_a_read = std::size_t{1} << 18;
constexpr std::size_t longest_line = std::size_t{1} << 26;

}  // namespace

ByteSource bytes_of(std::string_view text) {
  return [rest = text](std::span<char> buffer) mutable -> Result<std::size_t> {
    const std::size_t count = std::min(buffer.size(), rest.size());
    if (count > 0) std::memcpy(buffer.data(), rest.data(), count);
    rest.remove_prefix(count);
    return count;
  };
}

Status LineStream::fill() {
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ >= longest_line)
    return error_at(source_.name, number_ + 1, "the line is longer than 64 MiB: is this a text file?");
  if (buffer_.size() - end_ < bytes_a_read) buffer_.resize(end_ + bytes_a_read);
  SOTTO_TRY(const std::size_t got, source_.bytes(std::span(buffer_).subspan(end_)));
  end_ += got;
  ended_ = got == 0;
  return Done{};
}

Result<bool> LineStream::next(std::string_view& line) {
  std::size_t looked = 0;
  while (true) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const std::size_t end = rest.find('\n', looked);
    if (end == std::string_view::npos && !ended_) {
      looked = rest.size();
      SOTTO_TRY_DONE(fill());
      continue;
    }
    if (rest.empty()) return false;
    line = rest.substr(0, end);
    begin_ += std::min(line.size() + 1, rest.size());
    looked = 0;
    if (++number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!trimmed(line).empty()) return true;
  }
}

Status BrokenLines::add(const std::string& name, std::size_t line, const std::string& what) {
  const Error error = error_at(name, line, what);
  if (fatal) return fail(error.code, error.message + "; correct it, or let broken lines be skipped");
  if (count++ == 0) first = error.message;
  return Done{};
}

}  // namespace sotto::data
