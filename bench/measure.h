// What the whole-run benchmarks share: clocks, repeated figures, and the data they run on.
#pragma once

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data/generate.h"
#include "engine/plan/prepare.h"

namespace sotto::bench {

// Processor time of this thread: what others do on the machine counts as little as it can.
[[nodiscard]] inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[nodiscard]] double seconds_of(const auto& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

// By the clock on the wall, for work on several threads.
[[nodiscard]] double wall_seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds since the last lap, by the clock on the wall.
class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

[[nodiscard]] inline std::string setting(const char* name, const std::string& otherwise) {
  const char* chosen = std::getenv(name);
  return chosen != nullptr && *chosen != '\0' ? chosen : otherwise;
}

struct Figures {
  std::vector<double> values;
  void add(double value) { values.push_back(value); }
  [[nodiscard]] double least() const { return *std::min_element(values.begin(), values.end()); }
  [[nodiscard]] double most() const { return *std::max_element(values.begin(), values.end()); }
  [[nodiscard]] double median() const {
    std::vector<double> sorted(values);
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

[[nodiscard]] inline std::filesystem::path data_folder() {
  return setting("SOTTO_DATA", SOTTO_SOURCE_DIR "/../shared/data");
}

// MovieLens 1M where ../shared/data (or the folder SOTTO_DATA) is, else a generated world of its shape.
[[nodiscard]] inline Split movielens() {
  const auto file = data_folder() / "movielens-1m" / "ratings_ranked.tsv.zst";
  if (!std::filesystem::exists(file)) {
    fmt::print("generated world of MovieLens 1M's shape\n");
    return generate_split({.users = 6040, .items = 3706, .mean_interactions = 165.0, .seed = 1}).value();
  }
  fmt::print("MovieLens 1M, temporal 80/20\n");
  DataRequest request;
  request.paths = {file.string()};
  return std::move(prepare(request).value().split);
}

}  // namespace sotto::bench
