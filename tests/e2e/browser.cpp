#include "tests/e2e/browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace sotto::tests::e2e {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Runs the words to their end, with stdout and stderr into files. Returns the exit code.
int run(std::vector<std::string> words, const fs::path& out, const fs::path& err) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int in_file = ::open("/dev/null", O_RDONLY);
    if (::dup2(in_file, 0) == 0 && ::dup2(out_file, 1) == 1 && ::dup2(err_file, 2) == 2)
      ::execvp(pointers[0], pointers.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Visit visit(const fs::path& page) {
  Visit seen;
  std::string pattern = (fs::temp_directory_path() / "sotto-browser-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return {"no temporary folder", "", {}};
  const fs::path folder = pattern;
  const int code =
      run({"timeout", "--kill-after=5", "180", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
           "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--v=0",
           "--user-data-dir=" + (folder / "profile").string(), "--dump-dom",
           "file://" + fs::absolute(page).string()},
          folder / "out", folder / "err");
  seen.dom = text_of(folder / "out");
  std::istringstream lines(text_of(folder / "err"));
  for (std::string line; std::getline(lines, line);)
    if (line.find("CONSOLE") != std::string::npos) seen.console.push_back(line);
  if (code == 127) {
    seen.trouble = "chromium is not installed: './dev deps all' installs it";
  } else if (code != 0 || seen.dom.empty()) {
    seen.trouble = "chromium ended with " + std::to_string(code) + ": " + text_of(folder / "err");
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return seen;
}

std::string group_with(const std::string& dom, const std::string& attribute, std::size_t from) {
  const std::size_t found = dom.find(attribute, from);
  if (found == std::string::npos) return "";
  const std::size_t begin = dom.rfind("<g", found);
  std::size_t depth = 0;
  for (std::size_t at = begin; at < dom.size(); ++at) {
    if (dom.compare(at, 3, "<g ") == 0 || dom.compare(at, 3, "<g>") == 0) ++depth;
    if (dom.compare(at, 4, "</g>") == 0 && --depth == 0) return dom.substr(begin, at + 4 - begin);
  }
  return "";
}

std::string chart_named(const std::string& dom, const std::string& name) {
  const std::size_t found = dom.find("data-chart=\"" + name + "\"");
  if (found == std::string::npos) return "";
  const std::size_t begin = dom.rfind("<svg", found);
  return dom.substr(begin, dom.find("</svg>", begin) - begin);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string attribute_of(const std::string& text, const std::string& name) {
  const std::string begin = " " + name + "=\"";
  const std::size_t found = text.find(begin);
  if (found == std::string::npos) return "";
  const std::size_t from = found + begin.size();
  return text.substr(from, text.find('"', from) - from);
}

}  // namespace sotto::tests::e2e
