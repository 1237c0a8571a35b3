// What a user costs, from ten thousand to ten million of them: made-up people with 40 places each among
// 100,000, pFPL+ rounds of a million visits together with F = 16 on two threads. Prints one row of a Markdown
// table a size; each size runs in a process of its own, so that its peak of memory is its own. The data lies
// in a saved split that is mapped, as `sotto train --split-file` does.
//
// Sizes: 10^4, 10^5 and 10^6, or those given as arguments or in SOTTO_SCALE_USERS ("10000,10000000").
// SOTTO_SCALE_SCRATCH names a folder for the private rows; SOTTO_SCALE_FOLDER one for the splits.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "bench/measure.h"
#include "data/generate.h"
#include "engine/files/mapped_file.h"
#include "engine/files/split_file.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"
#include "sim/thread_pool.h"

namespace sotto::bench {
namespace {

using bench::Clock;
using bench::setting;

constexpr std::uint32_t items = 100'000;
constexpr std::uint32_t factors = 16;
constexpr std::size_t threads = 2;

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

// What one user costs already: the catalogue's rows, and a sum of them for each thread.
double catalogue_bytes() {
  const double row = static_cast<double>(RowMatrix::stride_for(factors + 1) * sizeof(float));
  return items * (row + static_cast<double>(threads) * (row + 8.0));
}

// Runs `work` in a process of its own; what it returns is the exit code.
template <class Work>
bool apart(Work work) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const int code = work();
    std::fflush(stdout);
    ::_exit(code);
  }
  int state = 0;
  return child > 0 && ::waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

int make_world(std::uint32_t users, const std::filesystem::path& file) {
  ThreadPool pool(threads);
  const WorldOptions options{
      .users = users, .items = items, .cities = 50, .mean_interactions = 40.0, .seed = 1};
  const auto split = generate_split(options, 0.8, pool);
  return split.ok() && write_split_file(file, *split).ok() ? 0 : 1;
}

// As many rounds as make a million visits, at least one.
TrainRequest some_rounds(std::size_t users) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.plan.fpl.learning_rate = 0.001f;
  request.plan.fpl.factors = factors;
  request.plan.epochs = static_cast<std::uint32_t>(std::max<std::size_t>(1'000'000 / users, 1));
  static_cast<void>(settle(request).ok());
  return request;
}

int measure(const std::filesystem::path& file) {
  const double program = peak_bytes();
  Clock clock;
  const auto split = open_split_file(file);
  if (!split.ok()) return fmt::print(stderr, "{}\n", split.error().message), 1;
  const double opened = clock.lap();
  const std::size_t users = split->users.size();
  const TrainRequest request = some_rounds(users);
  ThreadPool pool(threads);
  TrainHooks hooks;
  std::unique_ptr<ScratchStorage> scratch;
  if (const std::string folder = setting("SOTTO_SCALE_SCRATCH", ""); !folder.empty()) {
    auto made = ScratchStorage::make(
        folder,
        static_cast<std::uint64_t>(factor_row_bytes(request.plan.fpl.factors) * static_cast<double>(users)));
    if (!made.ok()) return fmt::print(stderr, "{}\n", made.error().message), 1;
    scratch = std::move(*made);
    hooks.private_memory = scratch.get();
  }
  double started = 0.0;
  double round = 0.0;
  std::uint64_t triples = 0;
  double visits = 0.0;
  // The clock stands still between the start and the first round: only the round is a visit's time.
  hooks.checkpoint_due = [&] { return started += clock.lap(), false; };
  hooks.on_progress = [&](const TrainProgress& progress) -> Status {
    round += clock.lap();
    triples += progress.since_last.triples;
    visits += static_cast<double>(progress.since_last.exchanges);
    return Done{};
  };
  const auto trained = train(request, *split, pool, hooks);
  if (!trained.ok()) return fmt::print(stderr, "{}\n", trained.error().message), 1;
  const double peak = peak_bytes();
  const auto people = static_cast<double>(users);
  const double own = 4.0 * static_cast<double>(split->train.interactions()) + 8.0 * people +
                     factor_row_bytes(request.plan.fpl.factors) * static_cast<double>(users);
  const double beyond = peak - program - catalogue_bytes();
  fmt::print("| {} | {} | {:.2f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.0f} | {} | {:.2f} |\n", users,
             split->train.interactions(), opened, started, round / visits * people, round / visits * 1e6,
             static_cast<double>(triples) / round / 1e6, own / people,
             // The smallest world lies within what the system gives a program anyway.
             beyond < own ? std::string("–") : fmt::format("{:.0f}", beyond / people), peak / 1e9);
  return 0;
}

std::vector<std::uint32_t> sizes(int count, char** words) {
  std::string list = setting("SOTTO_SCALE_USERS", "10000,100000,1000000");
  if (count > 1) list.clear();
  for (int n = 1; n < count; ++n) list += std::string(n > 1 ? "," : "") + words[n];
  std::vector<std::uint32_t> users;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');)
    users.push_back(static_cast<std::uint32_t>(std::strtoul(part.c_str(), nullptr, 10)));
  return users;
}

int run(int count, char** words) {
  fmt::print(
      "| users | training interactions | opened, s | started, s | one round, s | µs a visit | million "
      "triples/s | "
      "history and own row, bytes a user | peak without the catalogue, bytes a user | peak, GB "
      "|\n|---:|---:|---:|---:|---:|---:|---:|---:|"
      "---:|---:|\n");
  const std::filesystem::path folder =
      setting("SOTTO_SCALE_FOLDER", std::filesystem::temp_directory_path().string());
  for (const std::uint32_t users : sizes(count, words)) {
    const std::filesystem::path file = folder / fmt::format("sotto-scale-{}-{}.split", ::getpid(), users);
    const bool done = apart([&] { return make_world(users, file); }) && apart([&] { return measure(file); });
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    if (!done) return fmt::print(stderr, "{} users: it did not work\n", users), 1;
  }
  return 0;
}

}  // namespace
}  // namespace sotto::bench

int main(int count, char** words) { return sotto::bench::run(count, words); }
