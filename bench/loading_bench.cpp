// From files to a dataset that is ready to train on, one thread: MovieLens 1M as .zst text (unpacked, read,
// split), beside the obvious reader over the same bytes in the same run; and a saved split of many
// interactions by mapping. The data folder is SOTTO_DATA (default ../shared/data beside the source);
// SOTTO_CACHE_INTERACTIONS chooses the size of the split (default 40 million).
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/rng.h"
#include "bench/measure.h"
#include "data/split_parts.h"
#include "engine/files/files.h"
#include "engine/files/split_file.h"
#include "engine/plan/prepare.h"
#include "sim/thread_pool.h"

namespace sotto::bench {
namespace {

using bench::Clock;
using bench::setting;

// Of this process, in the program and in the system: what other programs on the machine do not stretch.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The obvious reader: a stream of words, a map of ids, a vector a user, the newest fifth for the test.
std::size_t plain_split(const std::string& text) {
  std::istringstream lines(text);
  std::map<std::string, std::size_t> users, items;
  std::vector<std::vector<std::pair<long, std::size_t>>> rows;
  std::string user, item, rating, rank;
  while (lines >> user >> item >> rating >> rank) {
    const std::size_t u = users.try_emplace(user, users.size()).first->second;
    const std::size_t i = items.try_emplace(item, items.size()).first->second;
    if (u == rows.size()) rows.emplace_back();
    rows[u].emplace_back(std::stol(rank), i);
  }
  std::size_t train = 0;
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    train += row.size() - row.size() / 5;
  }
  return train;
}

void load_text(const std::filesystem::path& file) {
  double best = 1e9, plain = 1e9, cpu = 1e9;
  std::size_t interactions = 0;
  for (int n = 0; n < 5; ++n) {
    const double before = cpu_seconds();
    Clock clock;
    DataRequest request;
    request.paths = {file.string()};
    const Prepared prepared = prepare(request).value();
    best = std::min(best, clock.lap());
    cpu = std::min(cpu, cpu_seconds() - before);
    interactions = prepared.split.train.interactions() + prepared.split.test.interactions();
    clock.lap();
    const std::string text = read_text(file).value();
    if (plain_split(text) == 0) fmt::print("nothing to train on\n");
    plain = std::min(plain, clock.lap());
  }
  fmt::print(
      "{}: {} interactions to a split in {:.3f} s ({:.3f} s of CPU), {:.1f} times as fast as the obvious "
      "reader\n",
      file.filename().string(), interactions, best, cpu, plain / best);
}

// A split of that many interactions, 40 a user, 32 of them for training: even steps through the catalogue.
Split many_interactions(std::uint64_t interactions) {
  constexpr std::uint32_t each = 40, kept = 32, items = 100'000;
  const auto users = static_cast<std::uint32_t>(interactions / each);
  SplitParts parts;
  IdTable user_ids, item_ids;
  user_ids.reserve(users, std::size_t{users} * 8);
  for (std::uint32_t item = 0; item < items; ++item) item_ids.intern(std::to_string(item));
  parts.train.items.reserve(std::size_t{users} * kept);
  parts.test.items.reserve(std::size_t{users} * (each - kept));
  for (std::uint32_t user = 0; user < users; ++user) {
    user_ids.intern(std::to_string(user));
    const std::uint32_t first = Stream(1, Purpose::generate_world, 0, user).below(items / each);
    for (std::uint32_t k = 0; k < each; ++k)
      (k % 5 < 4 ? parts.train : parts.test).add({k * (items / each) + first});
    parts.train.end_user();
    parts.validation.end_user();
    parts.test.end_user();
  }
  return assemble_split(std::move(user_ids), item_ids, std::move(parts), {}, {}).value();
}

int map_split(std::uint64_t interactions) {
  const std::filesystem::path file =
      std::filesystem::path(setting("SOTTO_SCALE_FOLDER", std::filesystem::temp_directory_path().string())) /
      fmt::format("sotto-loading-{}.split", ::getpid());
  if (!write_split_file(file, many_interactions(interactions)).ok()) return 1;
  double best = 1e9, read = 1e9, cpu = 1e9;
  Clock clock;
  for (int n = 0; n < 3; ++n) {
    const double before = cpu_seconds();
    clock.lap();
    const Split split = open_split_file(file).value();
    best = std::min(best, clock.lap());
    cpu = std::min(cpu, cpu_seconds() - before);
    if (split.train.users() == 0) return 1;
    clock.lap();
    const Bytes bytes = read_file(file).value();
    read = std::min(read, clock.lap());
  }
  fmt::print(
      "{} interactions, {:.2f} GB: opened by mapping in {:.3f} s ({:.3f} s of CPU); reading the file alone "
      "takes {:.1f} times "
      "as long\n",
      interactions, static_cast<double>(std::filesystem::file_size(file)) / 1e9, best, cpu, read / best);
  std::filesystem::remove(file);
  return 0;
}

int run() {
  const std::filesystem::path text = bench::data_folder() / "movielens-1m/ratings_ranked.tsv.zst";
  if (std::filesystem::exists(text))
    load_text(text);
  else
    fmt::print("{} is not there: set SOTTO_DATA to the folder of the datasets\n", text.string());
  return map_split(std::strtoull(setting("SOTTO_CACHE_INTERACTIONS", "40000000").c_str(), nullptr, 10));
}

}  // namespace
}  // namespace sotto::bench

int main() { return sotto::bench::run(); }
