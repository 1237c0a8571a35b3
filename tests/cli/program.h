// The built program, run as a person runs it, in a folder of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sotto::cli {

using Words = std::vector<std::string>;
[[nodiscard]] Words joined(Words words, const Words& more);

struct Outcome {
  int code = -1;  // 128 + the signal's number where a signal ended it
  std::string out;
  std::string err;

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

// A temporary folder that is gone afterwards, and `sotto` started in it.
class Workshop {
 public:
  Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop();

  // Runs `sotto arguments…` to its end.
  [[nodiscard]] Outcome sotto(const std::vector<std::string>& arguments) const;
  // The same on a terminal of so many columns: all that it shows, colours included. `answers` are typed one
  // by one, whenever it has asked (a line that ends with ": ").
  [[nodiscard]] std::string on_terminal(const std::vector<std::string>& arguments, unsigned short columns,
                                        const std::vector<std::string>& answers = {}) const;
  // Starts it; finish() waits for it. It ends with the thread that started it at the latest.
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments) const;
  [[nodiscard]] Outcome finish(pid_t process) const;
  // What it has written to stdout and to stderr.
  [[nodiscard]] std::string output_so_far(pid_t process) const;
  [[nodiscard]] std::string errors_so_far(pid_t process) const;

  void put(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string get(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// The tab-separated fields of each line.
[[nodiscard]] std::vector<std::vector<std::string>> rows_of(const std::string& tsv);

}  // namespace sotto::cli
