// Top-10 lists for everybody and the full evaluation, one thread, beside the obvious loop (score all items,
// partial_sort) on a sample of the users, interleaved, and beside the machine's measured peak. On MovieLens
// 1M, Amazon Digital Music and Gowalla where ../shared/data (or the folder SOTTO_DATA) is, else on a
// generated world. Factors are drawn at random and, on the first set, also trained: where popular items
// score high, fewer scores pass the threshold.
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "bench/measure.h"
#include "bench/roofline.h"
#include "metrics/evaluate.h"
#include "metrics/rank_users.h"
#include "model/central/bpr_mf.h"

namespace sotto::bench {
namespace {

constexpr std::size_t list_length = 10;
constexpr int repeats = 7;

using bench::seconds_of;

struct World {
  std::string name;
  Split split;
};

std::vector<World> load() {
  const std::filesystem::path folder = bench::data_folder();
  std::vector<World> worlds;
  const auto add = [&](const char* name, const std::string& train, const std::string& test) {
    if (!std::filesystem::exists(folder / train)) return;
    DataRequest request;
    request.paths = {(folder / train).string()};
    if (!test.empty()) request.test = {(folder / test).string()};
    worlds.push_back({name, std::move(prepare(request).value().split)});
  };
  add("MovieLens 1M", "movielens-1m/ratings_ranked.tsv.zst", "");
  add("Amazon Digital Music", "amazon-digital-music/AmazonDigitalMusic.tsv.zst", "");
  add("Gowalla", "gowalla-lightgcn/train.txt.zst", "gowalla-lightgcn/test.txt.zst");
  if (worlds.empty())
    worlds.push_back(
        {"generated",
         generate_split({.users = 6040, .items = 3706, .mean_interactions = 165.0, .seed = 1}).value()});
  return worlds;
}

RowMatrix random_rows(std::size_t rows, std::uint32_t factors, std::uint32_t round) {
  RowMatrix matrix(rows, factors + 1);
  for (std::uint32_t row = 0; row < rows; ++row) {
    Stream draws(1, Purpose::init_shared, round, row);
    for (float& value : matrix.values(row)) value = static_cast<float>(draws.normal());
  }
  return matrix;
}

// The obvious way: every score, seen items struck out, the best ten.
std::uint32_t plain_top(const RowMatrix& users, const RowMatrix& items, const Histories& seen,
                        UserIndex user) {
  std::vector<float> scores(items.rows());
  for (std::size_t item = 0; item < items.rows(); ++item) {
    float sum = 0.0f;
    for (std::size_t k = 0; k < items.width(); ++k) sum += users.row(user.value)[k] * items.row(item)[k];
    scores[item] = sum;
  }
  for (const ItemIndex item : seen.of(user)) scores[item.value] = -std::numeric_limits<float>::infinity();
  std::vector<std::uint32_t> order(items.rows());
  std::iota(order.begin(), order.end(), 0u);
  std::partial_sort(order.begin(), order.begin() + list_length, order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  return order[0];
}

std::vector<UserIndex> everybody(std::size_t users) {
  std::vector<UserIndex> all(users);
  for (std::uint32_t user = 0; user < users; ++user) all[user].value = user;
  return all;
}

struct Factors {
  const RowMatrix& users;
  const RowMatrix& items;
  const char* kind;
};

// The peak is measured again beside each figure: on a shared machine it moves.
struct Figures {
  bench::Figures lists, judged, plain, peak;
};

Figures measure(const Split& split, const Factors& factors, std::size_t sample) {
  const MfRecommender model(&factors.users, &factors.items, {});
  const RankTask task{&model, {&split.train}, nullptr, list_length, std::size_t{64} << 20};
  const auto all = everybody(factors.users.rows());
  SerialExecutor serial;
  Figures figures;
  std::uint64_t kept = 0;
  for (int n = 0; n < repeats; ++n) {
    figures.peak.add(bench::peak_gflops());
    figures.lists.add(seconds_of([&] { kept += rank_users(task, all, serial).value().lists.lengths[0]; }));
    figures.judged.add(seconds_of([&] { kept += evaluate(model, split, {}, serial).value().users; }));
    figures.plain.add(seconds_of([&] {
      for (std::size_t k = 0; k < sample; ++k)
        kept += plain_top(factors.users, factors.items, split.train, all[k]);
    }));
  }
  if (kept == 0) fmt::print("nothing was ranked\n");
  return figures;
}

void report(const Split& split, const Factors& factors) {
  const std::size_t size = factors.items.rows() * factors.items.width();
  const std::size_t sample = std::min<std::size_t>(factors.users.rows(), 100'000'000 / size + 1);
  const Figures figures = measure(split, factors, sample);
  const auto users = static_cast<double>(factors.users.rows());
  const double seconds = figures.lists.median();
  const double rate = 2.0 * users * static_cast<double>(size) / seconds / 1e9;
  const double plain = figures.plain.median() / static_cast<double>(sample) * users;
  fmt::print("  F={:<3}{:<8}{:>8.1f} ms (best {:>7.1f}){:>9.0f} users/s{:>7.1f} GFLOP/s {:>3.0f}% of {:.0f}",
             factors.items.width() - 1, factors.kind, seconds * 1e3, figures.lists.least() * 1e3,
             users / seconds, rate, 100.0 * rate / figures.peak.median(), figures.peak.median());
  fmt::print("{:>6.1f}×{:>9.1f} ms (best {:>7.1f})\n", plain / seconds, figures.judged.median() * 1e3,
             figures.judged.least() * 1e3);
}

void report_world(const World& world, bool trained) {
  const std::size_t users = world.split.users.size();
  fmt::print("{}: {} users × {} items\n", world.name, users, world.split.catalogue);
  for (const std::uint32_t factors : {20u, 64u}) {
    report(world.split,
           {random_rows(users, factors, 1), random_rows(world.split.catalogue, factors, 2), "random"});
    if (!trained) continue;
    BprMfOptions options;
    options.factors = factors;
    const auto training = BprMf::start(world.split.train, world.split.catalogue, options).value();
    SerialExecutor serial;
    for (std::uint32_t epoch = 0; epoch < 10; ++epoch)
      static_cast<void>(training->run_epoch(epoch, serial).value());
    report(world.split, {training->users(), training->items(), "trained"});
  }
}

}  // namespace
}  // namespace sotto::bench

int main() {
  fmt::print(
      "one thread's processor time, {:.1f} GB/s read, medians of {}, interleaved: top-10 lists for "
      "everybody,\n"
      "share of the measured peak of fused multiply-adds, ratio to the plain loop, evaluation with all "
      "metrics\n",
      sotto::bench::read_gbytes(), sotto::bench::repeats);
  bool first = true;
  for (const sotto::bench::World& world : sotto::bench::load()) {
    sotto::bench::report_world(world, first);
    first = false;
  }
  return 0;
}
