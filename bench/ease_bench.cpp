// EASE on MovieLens 1M (or a generated world of its shape): the whole fit, and its parts, beside the
// machine's bound, OpenBLAS' own Cholesky factor and inverse of a matrix of that size on as many threads. In
// turn, in one run.
#include <cblas.h>

#include "bench/measure.h"
#include "model/central/ease.h"
#include "sim/thread_pool.h"

extern "C" {
void dpotrf_(const char* triangle, const int* size, double* values, const int* stride, int* info,
             std::size_t text_length);
void dpotri_(const char* triangle, const int* size, double* values, const int* stride, int* info,
             std::size_t text_length);
}

namespace sotto {
namespace {

constexpr int repeats = 7;

double bound_seconds(SymmetricMatrix matrix, std::size_t threads) {
  openblas_set_num_threads(static_cast<int>(threads));
  const int size = static_cast<int>(matrix.size());
  int info = 0;
  const double seconds = bench::wall_seconds_of([&] {
    dpotrf_("U", &size, matrix.row(0).data(), &size, &info, 1);
    dpotri_("U", &size, matrix.row(0).data(), &size, &info, 1);
  });
  openblas_set_num_threads(1);
  if (info != 0) fmt::print("the bound's matrix is not positive definite\n");
  return seconds;
}

void measure(const Split& split, std::size_t threads) {
  ThreadPool pool(threads);
  const EaseOptions options{.lambda = 1000.0f};
  const Audiences audiences(split.train, split.catalogue);
  bench::Figures bound, counting, inverse, whole;
  for (int n = 0; n < repeats; ++n) {
    SymmetricMatrix gram(0);
    counting.add(bench::wall_seconds_of([&] { gram = count_all_pairs(split.train, audiences, pool); }));
    for (std::size_t item = 0; item < gram.size(); ++item) gram.at(item, item) += 1000.0;
    bound.add(bound_seconds(gram, threads));
    inverse.add(bench::wall_seconds_of([&] { static_cast<void>(invert(gram, pool).ok()); }));
    whole.add(bench::wall_seconds_of(
        [&] { static_cast<void>(Ease::fit(split.train, split.catalogue, options, pool).ok()); }));
  }
  const auto line = [&](const char* what, const bench::Figures& figures) {
    fmt::print("{} threads {:<22}{:>8.3f} s (best {:.3f})   {:>4.0f}% of the bound's speed\n", threads, what,
               figures.median(), figures.least(), 100.0 * bound.median() / figures.median());
  };
  line("potrf_and_potri", bound);
  line("inverse", inverse);
  line("counting_pairs", counting);
  line("whole_fit", whole);
}

}  // namespace
}  // namespace sotto

int main() {
  const sotto::Split split = sotto::bench::movielens();
  fmt::print("{} items, medians of {}, by the clock on the wall\n", split.catalogue, sotto::repeats);
  for (const std::size_t threads : {1u, 2u}) sotto::measure(split, threads);
  return 0;
}
