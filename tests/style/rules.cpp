#include "tests/style/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace sotto::style {
namespace {

// Where a layer stands in the order; neighbours of equal rank do not see each other.
std::optional<int> rank_of(const std::string& layer) {
  static const std::map<std::string, int> ranks{{"base", 0},    {"data", 1},   {"model", 2},   {"metrics", 3},
                                                {"privacy", 4}, {"fed", 5},    {"storage", 6}, {"sim", 7},
                                                {"net", 7},     {"device", 7}, {"server", 7},  {"neural", 7},
                                                {"engine", 8},  {"host", 9},   {"lab", 9},     {"cli", 10}};
  const auto found = ranks.find(layer);
  if (found == ranks.end()) return std::nullopt;
  return found->second;
}

constexpr int first_impure_rank = 6;

// "sotto::fed::Plan" as "sotto::Plan": the layers to the right would find both of two that differ in this
// alone.
std::string without_layer(const std::string& name) {
  static const std::regex layer("^sotto::([a-z]+)::");
  std::smatch match;
  return std::regex_search(name, match, layer) && rank_of(match[1]) ? "sotto::" + match.suffix().str() : name;
}

std::string at(const Source& source, std::size_t line, const std::string& text) {
  return fmt::format("{}:{}: {}", source.path, line, text);
}

bool is_impure(const std::string& name) {
  static const std::array exact{
      "thread",    "mutex",      "shared_mutex", "condition_variable", "future",   "semaphore", "latch",
      "barrier",   "stop_token", "fstream",      "filesystem",         "iostream", "ctime",     "time.h",
      "random",    "cstdio",     "stdio.h",      "unistd.h",           "fcntl.h",  "netdb.h",   "poll.h",
      "pthread.h", "csignal",    "signal.h"};
  static const std::array folders{"sys/", "netinet/", "arpa/", "net/"};
  return std::any_of(exact.begin(), exact.end(), [&](const char* one) { return name == one; }) ||
         std::any_of(folders.begin(), folders.end(), [&](const char* one) { return name.starts_with(one); });
}

struct Size {
  std::size_t lines = 0;
  std::size_t limit = 0;
  std::size_t at_line = 1;
};

// Keyed "path kind".
std::map<std::string, Size> sizes_of(const std::vector<Source>& sources, const Limits& limits) {
  std::map<std::string, Size> sizes;
  for (const Source& source : sources) {
    const std::size_t limit = source.is_header() ? limits.header : limits.source;
    sizes[source.path + " file"] = {lines_of(source.text).size(), limit, 1};
    Size longest{0, limits.function, 1};
    for (const Function& function : functions_of(source))
      if (function.lines > longest.lines) longest = {function.lines, limits.function, function.first_line};
    sizes[source.path + " function"] = longest;
  }
  return sizes;
}

// One line of the list of exceptions: lifts the limit of its entry, or says what is wrong with it.
std::optional<std::string> apply_exception(const std::string& line, std::map<std::string, Size>& sizes) {
  std::istringstream in(line);
  std::string path, kind, rest;
  std::size_t limit = 0;
  if (!(in >> path >> kind >> limit) || in >> rest) return "not of the form 'path kind limit': " + line;
  const auto entry = sizes.find(path + " " + kind);
  if (entry == sizes.end()) return "names nothing that is there: " + line;
  Size& size = entry->second;
  if (size.lines <= size.limit) return fmt::format("no longer needed, remove it: {}", line);
  if (size.lines < limit) return fmt::format("too generous, it is {} lines now: {}", size.lines, line);
  size.limit = limit;
  return std::nullopt;
}

}  // namespace

Findings check_layers(const Source& source) {
  if (!source.path.starts_with("src/")) return {};
  const auto own = rank_of(source.layer());
  if (!own) return {at(source, 1, "lies in no known layer; the layers are in ARCHITECTURE.md")};
  Findings findings;
  for (const Include& include : includes_of(source)) {
    if (!include.quoted || include.name.starts_with("sotto/")) continue;
    const std::string layer = include.name.substr(0, include.name.find('/'));
    const auto rank = rank_of(layer);
    if (!rank)
      findings.push_back(at(source, include.line, "include \"" + include.name + "\" by its layer's path"));
    else if (layer != source.layer() && *rank >= *own)
      findings.push_back(at(source, include.line, source.layer() + " must not see " + layer));
  }
  return findings;
}

Findings check_cycles(const std::vector<Source>& sources) {
  std::map<std::string, std::map<std::string, std::string>> sees;  // folder, folder: where
  for (const Source& source : sources) {
    if (source.folder().empty() || source.is_test() || source.is_fixture()) continue;
    for (const Include& include : includes_of(source)) {
      const std::string seen = Source{"src/" + include.name, ""}.folder();
      if (include.quoted && !seen.empty() && seen != source.folder() && rank_of(source.layer()))
        sees[source.folder()].try_emplace(seen, at(source, include.line, ""));
    }
  }
  const auto reached = [&](const std::string& from) {
    std::set<std::string> all;
    std::vector<std::string> next{from};
    while (!next.empty()) {
      const std::string folder = next.back();
      next.pop_back();
      for (const auto& [seen, where] : sees[folder])
        if (all.insert(seen).second) next.push_back(seen);
    }
    return all;
  };
  std::map<std::string, std::set<std::string>> reach;
  for (const auto& [folder, seen] : std::map(sees)) reach[folder] = reached(folder);
  Findings findings;
  for (const auto& [folder, all] : reach)
    for (const auto& [seen, where] : sees[folder])
      if (reach[seen].contains(folder))
        findings.push_back(where + folder + " sees " + seen + ", which sees it too, or through others");
  return findings;
}

Findings check_model_names(const std::vector<Source>& sources) {
  static const std::regex declared(R"(ModelEntry (\w+)_entry\(\);)");
  std::set<std::string> names;
  for (const Source& source : sources) {
    if (source.path != "src/engine/models/all_models.h") continue;
    for (std::sregex_iterator match(source.text.begin(), source.text.end(), declared), end; match != end;
         ++match) {
      std::string name = (*match)[1];
      std::ranges::replace(name, '_', '-');
      if (name != "random") names.insert(name);
    }
  }
  constexpr std::array own{"src/model/", "src/engine/models/", "src/fed/models/", "src/lab/audit/"};
  static const std::regex quoted(R"re("([a-z0-9-]+)")re");
  Findings findings;
  for (const Source& source : sources) {
    const bool is_own =
        std::ranges::any_of(own, [&](const char* folder) { return source.path.starts_with(folder); });
    if (!source.path.starts_with("src/") || source.is_test() || source.is_fixture() || is_own) continue;
    std::size_t number = 0;
    for (const std::string& line : lines_of(source.text)) {
      ++number;
      for (std::sregex_iterator match(line.begin(), line.end(), quoted), end; match != end; ++match)
        if (names.contains((*match)[1]))
          findings.push_back(at(source, number, "names a model: ask its entry instead of " + match->str()));
    }
  }
  return findings;
}

Findings check_fixtures(const Source& source) {
  if (source.is_test() || source.is_fixture() ||
      !(source.path.starts_with("src/") || source.path.starts_with("apps/")))
    return {};
  Findings findings;
  for (const Include& include : includes_of(source))
    if (include.name.find("/testing/") != std::string::npos)
      findings.push_back(at(source, include.line, "product code includes a fixture"));
  return findings;
}

Findings check_types(const std::vector<Source>& sources) {
  std::map<std::string, std::pair<const Source*, std::size_t>> places;
  Findings findings;
  for (const Source& source : sources) {
    if (source.folder().empty()) continue;
    for (const TypeDefinition& type : types_of(source)) {
      const auto [other, line] =
          places.try_emplace(without_layer(type.name), &source, type.line).first->second;
      // Twice in one file are the two sides of an #if: the compiler would see more.
      if (other == &source) continue;
      findings.push_back(
          at(source, type.line, fmt::format("{} is a type of {}:{} too", type.name, other->path, line)));
    }
  }
  return findings;
}

Findings check_layer_names(const Source& layers) {
  std::map<std::string, std::set<std::string>> finds;
  std::string layer;
  static const std::regex opened("^namespace ([a-z]+) "), used("^using namespace ([a-z]+);");
  for (const std::string& line : lines_of(layers.text)) {
    std::smatch match;
    if (std::regex_search(line, match, opened)) {
      finds[layer = match[1]];
    } else if (std::regex_search(line, match, used)) {
      finds[layer].insert(match[1]);
      finds[layer].insert(finds[match[1]].begin(), finds[match[1]].end());
    }
  }
  Findings findings;
  for (const auto& [name, found] : finds) {
    const auto own = rank_of(name);
    if (!own) continue;  // sotto itself, and what stands right of all layers
    for (const auto& [other, ignored] : finds)
      if (const auto rank = rank_of(other); rank && found.contains(other) != (*rank < *own))
        findings.push_back(
            at(layers, 1, fmt::format("{} {} {}", name, *rank < *own ? "does not find" : "finds", other)));
  }
  return findings;
}

Findings check_namespaces(const Source& source) {
  if (source.folder().empty() || source.path == "src/base/layers.h") return {};
  const std::string own = "sotto::" + source.layer() + "::";
  Findings findings;
  for (const TypeDefinition& type : types_of(source))
    if (type.name.starts_with("sotto::") && !type.name.starts_with(own))
      findings.push_back(at(source, type.line, type.name + " belongs into " + own));
  std::size_t number = 0;
  for (const std::string& line : lines_of(source.text)) {
    ++number;
    if (line.starts_with("namespace sotto {"))
      findings.push_back(at(source, number, "what stands here belongs into " + own));
  }
  return findings;
}

Findings check_purity(const Source& source) {
  const auto rank = rank_of(source.layer());
  if (!rank || *rank >= first_impure_rank || source.is_test()) return {};
  // The last words of a program that found a bug in itself.
  if (source.path == "src/base/assert.cpp") return {};
  Findings findings;
  for (const Include& include : includes_of(source)) {
    // Advice on memory is no file, though its header has both.
    if (source.path == "src/base/large_pages.cpp" && include.name == "sys/mman.h") continue;
    if (!include.quoted && is_impure(include.name))
      findings.push_back(at(source, include.line, "<" + include.name + "> does not belong below storage"));
  }
  // <chrono> itself may stay: its calendar is pure, its clocks are not.
  static const std::regex clock(R"(\b(system|steady|high_resolution|utc|tai|gps|file)_clock\b)");
  std::size_t number = 0;
  for (const std::string& line : lines_of(code_of(source.text))) {
    ++number;
    if (std::regex_search(line, clock))
      findings.push_back(at(source, number, "a clock does not belong below storage"));
  }
  return findings;
}

Findings check_header(const Source& source) {
  if (!source.is_header()) return {};
  Findings findings;
  if (!source.text.starts_with("// "))
    findings.push_back(at(source, 1, "a header opens with what the thing is"));
  const auto lines = lines_of(source.text);
  if (std::find(lines.begin(), lines.end(), "#pragma once") == lines.end())
    findings.push_back(at(source, 1, "no #pragma once"));
  return findings;
}

Findings check_names(const Source& source) {
  static const std::regex type(
      R"(\b(class|struct|union|enum|concept|using)\s+\w*(Manager|Utils?|Helpers?|Impl)(?![a-z]))");
  static const std::regex file(R"((^|_)(manager|utils?|helpers?|impl)(_|\.|$))");
  Findings findings;
  const std::string name = source.path.substr(source.path.rfind('/') + 1);
  if (std::regex_search(name, file)) findings.push_back(at(source, 1, "a file's name says what is in it"));
  std::size_t number = 0;
  for (const std::string& line : lines_of(code_of(source.text))) {
    ++number;
    if (std::regex_search(line, type))
      findings.push_back(at(source, number, "a type's name says what it is"));
  }
  return findings;
}

Findings check_marks(const Source& source) {
  // In pieces, so that this file does not find itself.
  static const std::regex marks(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b|GTEST_"
      "SKIP|\\bDIS"
      "ABLED_");
  // What a machine does not allow cannot be tested on it.
  const std::string allowed = source.path == "tests/e2e/partition_test.cpp" ? "GTEST_"
                                                                              "SKIP"
                                                                            : "";
  Findings findings;
  std::size_t number = 0;
  for (const std::string& line : lines_of(source.text)) {
    ++number;
    std::smatch mark;
    if (std::regex_search(line, mark, marks) && mark.str() != allowed)
      findings.push_back(at(source, number, "a mark of unfinished work"));
  }
  return findings;
}

Findings check_sizes(const std::vector<Source>& sources, const std::string& exceptions,
                     const Limits& limits) {
  auto sizes = sizes_of(sources, limits);
  Findings findings;
  for (const std::string& line : lines_of(exceptions)) {
    if (line.empty() || line.starts_with('#')) continue;
    if (const auto wrong = apply_exception(line, sizes)) findings.push_back("exception " + *wrong);
  }
  for (const auto& [key, size] : sizes) {
    const std::string path = key.substr(0, key.find(' '));
    const std::string kind = key.substr(key.find(' ') + 1);
    if (size.lines > size.limit)
      findings.push_back(
          fmt::format("{}:{}: a {} of {} lines, over {}", path, size.at_line, kind, size.lines, size.limit));
  }
  return findings;
}

}  // namespace sotto::style
