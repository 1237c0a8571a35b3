#include "tests/cli/program.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sotto::cli {

namespace fs = std::filesystem;

namespace {

// Several programs may run at once: each has its own.
std::string stream_name(const char* stream, pid_t process) { return stream + std::to_string(process); }

// As execv takes them.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Workshop::Workshop() {
  std::string pattern = (fs::temp_directory_path() / "sotto-cli-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

Workshop::~Workshop() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

pid_t Workshop::start(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{SOTTO_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers = pointers_to(words);
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("no process can be started");  // a signal to -1 is one to all
  if (process != 0) return process;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever ends the test, what it started does not stay behind
  const int out =
      ::open((folder_ / stream_name(".out", ::getpid())).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err =
      ::open((folder_ / stream_name(".err", ::getpid())).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int in = ::open("/dev/null", O_RDONLY);
  const bool ready =
      ::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(err, 2) == 2 && ::chdir(folder_.c_str()) == 0;
  if (ready) ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

Outcome Workshop::finish(pid_t process) const {
  int status = 0;
  ::waitpid(process, &status, 0);
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = get(stream_name(".out", process));
  outcome.err = get(stream_name(".err", process));
  return outcome;
}

std::string Workshop::on_terminal(const std::vector<std::string>& arguments, unsigned short columns,
                                  const std::vector<std::string>& answers) const {
  std::vector<std::string> words{SOTTO_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers = pointers_to(words);
  const winsize size{.ws_row = 50, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int screen = -1;
  const pid_t process = ::forkpty(&screen, nullptr, nullptr, &size);
  if (process < 0) throw std::runtime_error("no terminal can be opened");
  if (process == 0) {
    if (::chdir(folder_.c_str()) == 0) ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  std::string shown;
  std::array<char, 4096> piece{};
  std::size_t given = 0;
  for (ssize_t bytes = 0;
       (bytes = ::read(screen, piece.data(), piece.size())) > 0;) {  // until the program closes it
    shown.append(piece.data(), static_cast<std::size_t>(bytes));
    if (given == answers.size() || !shown.ends_with(": ")) continue;
    const std::string& answer = answers[given++];
    if (::write(screen, answer.data(), answer.size()) != static_cast<ssize_t>(answer.size())) break;
  }
  ::close(screen);
  ::waitpid(process, nullptr, 0);
  std::erase(shown, '\r');
  return shown;
}

std::string Workshop::output_so_far(pid_t process) const { return get(stream_name(".out", process)); }
std::string Workshop::errors_so_far(pid_t process) const { return get(stream_name(".err", process)); }

Outcome Workshop::sotto(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }

void Workshop::put(const std::string& name, const std::string& text) const {
  fs::create_directories((folder_ / name).parent_path());
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::string Workshop::get(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
  return text.str();
}

bool Workshop::has(const std::string& name) const { return fs::exists(folder_ / name); }

std::vector<std::vector<std::string>> rows_of(const std::string& tsv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(tsv);
  for (std::string line; std::getline(lines, line);) {
    auto& row = rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) row.push_back(field);
  }
  return rows;
}

}  // namespace sotto::cli
