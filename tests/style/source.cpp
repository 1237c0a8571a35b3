#include "tests/style/source.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

namespace sotto::style {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The end (one past) of the literal or comment that begins at `begin`; `begin` itself if none does.
std::size_t end_of_opaque(const std::string& text, std::size_t begin) {
  const auto past = [&](const std::string& end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string::npos ? text.size() : found + end.size();
  };
  const char before = begin > 0 ? text[begin - 1] : ' ';
  if (text.compare(begin, 2, "//") == 0) return std::min(text.find('\n', begin), text.size());
  if (text.compare(begin, 2, "/*") == 0) return past("*/", begin + 2);
  if (text.compare(begin, 2, "R\"") == 0 && !is_word(before)) {
    const std::size_t open = text.find('(', begin);
    std::string close = text.substr(begin + 1, open - begin);  // "name( becomes )name"
    close.front() = ')';
    close.back() = '"';
    return past(close, open);
  }
  const char quote = text[begin];
  // An apostrophe inside a number separates digits.
  if (quote != '"' && (quote != '\'' || is_word(before))) return begin;
  std::size_t end = begin + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// Blanks preprocessor lines, with what they continue on: macros are not functions.
std::string without_directives(const std::string& code) {
  std::string out;
  bool continued = false;
  for (const std::string& line : lines_of(code)) {
    const std::size_t first = line.find_first_not_of(' ');
    const bool directive = continued || (first != std::string::npos && line[first] == '#');
    continued = directive && line.ends_with('\\');
    if (!directive) out += line;
    out += '\n';
  }
  return out;
}

// Walks the braces of a file. `head_` is what was read since the last statement ended.
class Walker {
 public:
  std::vector<Function> walk(const std::string& code) {
    for (const char c : code) step(c);
    return std::move(found_);
  }

 private:
  void step(char c) {
    if (c == '\n') ++line_;
    if (body_depth_ > 0 || literal_depth_ > 0 || parens_ > 0) return inside(c);
    if (c == '{') return open();
    if (c == '}' || c == ';') return head_.clear();
    if (c == '(') ++parens_;
    if (head_.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) return;
    if (head_.empty()) head_line_ = line_;
    head_ += c;
    if (head_ == "public:" || head_ == "private:" || head_ == "protected:") head_.clear();
  }

  // Within a body, an initialiser or parentheses only the end of it matters.
  void inside(char c) {
    if (body_depth_ > 0) {
      body_depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (body_depth_ > 0) return;
      if (head_.find('(') != std::string::npos) found_.push_back({head_line_, line_ - head_line_ + 1});
      head_.clear();
    } else if (literal_depth_ > 0) {
      literal_depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
    } else {
      parens_ += c == '(' ? 1 : c == ')' ? -1 : 0;
      head_ += c;
    }
  }

  void open() {
    static const std::regex names(
        R"(^(template\b[^(]*)?(inline )?(namespace|class|struct|union|enum|extern)\b)");
    static const std::regex initialisers(R"(\)[^)]*[^:]:[^:])");
    const bool call = head_.find('(') != std::string::npos;
    // `Type(…) : member_{…}`: a brace right after a name belongs to the member, not to the body.
    if (call && is_word(head_.back()) && std::regex_search(head_, initialisers)) {
      ++literal_depth_;
    } else if (!call && std::regex_search(head_, names)) {
      head_.clear();
    } else {
      ++body_depth_;
    }
  }

  std::vector<Function> found_;
  std::string head_;
  std::size_t line_ = 1;
  std::size_t head_line_ = 1;
  int body_depth_ = 0;
  int literal_depth_ = 0;
  int parens_ = 0;
};

// Walks the scopes of a file, as far as they are named namespaces.
class TypeWalker {
 public:
  std::vector<TypeDefinition> walk(const std::string& code) {
    for (const char c : code) step(c);
    return std::move(found_);
  }

 private:
  void step(char c) {
    if (c == '\n') ++line_;
    if (c == '{') return open();
    if (c == '}' && !scopes_.empty()) scopes_.pop_back();
    if (c == '}' || c == ';') return head_.clear();
    if (head_.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) return;
    if (head_.empty()) head_line_ = line_;
    head_ += c == '\n' ? ' ' : c;
  }

  void open() {
    static const std::regex space(R"(^(inline )?namespace ([\w:]+) *$)"), c_space(R"(^extern\s*$)");
    static const std::regex type(
        R"(^(template\b.*[> )])?(class|struct|union|enum class|enum)\b(\[\[.*\]\]|alignas\([^)]*\)| )* ([\w:]+)( final)? *(:[^(]*)?$)");
    const bool at_namespace =
        std::all_of(scopes_.begin(), scopes_.end(), [](const Scope& scope) { return scope.is_namespace; });
    std::smatch match;
    Scope scope;
    if (std::regex_search(head_, match, space))
      scope = {true, match[2].str() + "::"};
    else if (std::regex_search(head_, c_space))
      scope = {true, ""};
    else if (at_namespace && std::regex_search(head_, match, type))
      found_.push_back({qualifier() + match[4].str(), head_line_});
    scopes_.push_back(scope);
    head_.clear();
  }

  [[nodiscard]] std::string qualifier() const {
    std::string all;
    for (const Scope& scope : scopes_) all += scope.prefix;
    return all;
  }

  struct Scope {
    bool is_namespace = false;  // a named one
    std::string prefix;
  };
  std::vector<TypeDefinition> found_;
  std::vector<Scope> scopes_;
  std::string head_;
  std::size_t line_ = 1;
  std::size_t head_line_ = 1;
};

}  // namespace

std::string Source::layer() const {
  const std::string all = folder();
  return all.substr(0, all.find('/'));
}

std::string Source::folder() const {
  if (!path.starts_with("src/")) return "";
  const std::size_t end = path.rfind('/');
  return end < 4 ? "" : path.substr(4, end - 4);
}

std::vector<Include> includes_of(const Source& source) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  std::size_t number = 0;
  for (const std::string& line : lines_of(source.text)) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, pattern)) includes.push_back({number, match[1] == "\"", match[2]});
  }
  return includes;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string code_of(const std::string& text) {
  std::string code = text;
  for (std::size_t k = 0; k < code.size();) {
    const std::size_t end = end_of_opaque(text, k);
    for (std::size_t n = k; n < end; ++n)
      if (code[n] != '\n') code[n] = ' ';
    k = std::max(end, k + 1);
  }
  return code;
}

std::vector<TypeDefinition> types_of(const Source& source) {
  return TypeWalker().walk(without_directives(code_of(source.text)));
}

std::vector<Function> functions_of(const Source& source) {
  return Walker().walk(without_directives(code_of(source.text)));
}

}  // namespace sotto::style
