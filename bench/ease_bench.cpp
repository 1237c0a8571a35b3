// EASE on MovieLens 1M (or a generated world of its shape): the whole fit, and its parts, beside the
// machine's bound, OpenBLAS' own Cholesky factor and inverse of a matrix of that size on as many threads. In
// turn, in one run. The bound takes no memory while it is timed; a fit takes 12 bytes a pair of items. What a
// machine pays for memory that nobody used for a while differs a lot, and most between a virtual one and its
// host, so the fit is timed both ways: with memory that was given back a moment ago, and as memory comes.
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

namespace sotto::bench {
namespace {

constexpr int repeats = 7;

// Of one thread its processor time, which others on the machine disturb least; of several the wall's clock.
double seconds_on(std::size_t threads, const auto& work) {
  return threads == 1 ? bench::seconds_of(work) : bench::wall_seconds_of(work);
}

double bound_seconds(SymmetricMatrix matrix, std::size_t threads) {
  openblas_set_num_threads(static_cast<int>(threads));
  const int size = static_cast<int>(matrix.size());
  int info = 0;
  const double seconds = seconds_on(threads, [&] {
    dpotrf_("U", &size, matrix.row(0).data(), &size, &info, 1);
    dpotri_("U", &size, matrix.row(0).data(), &size, &info, 1);
  });
  openblas_set_num_threads(1);
  if (info != 0) fmt::print("the bound's matrix is not positive definite\n");
  return seconds;
}

// Touches more memory than a fit takes, and gives it back.
void get_memory_at_hand(std::size_t size) { const SymmetricMatrix one(size), other(size); }

void measure(const Split& split, std::size_t threads) {
  ThreadPool pool(threads);
  const EaseOptions options{.lambda = 1000.0f};
  const Audiences audiences(split.train, split.catalogue);
  bench::Figures bound, counting, inverse, whole, as_it_comes;
  const auto fit = [&] {
    return seconds_on(
        threads, [&] { static_cast<void>(Ease::fit(split.train, split.catalogue, options, pool).ok()); });
  };
  for (int n = 0; n < repeats; ++n) {
    SymmetricMatrix gram(0);
    get_memory_at_hand(split.catalogue);
    counting.add(seconds_on(threads, [&] { gram = count_all_pairs(split.train, audiences, pool); }));
    for (std::size_t item = 0; item < gram.size(); ++item) gram.at(item, item) += 1000.0;
    bound.add(bound_seconds(gram, threads));
    inverse.add(seconds_on(threads, [&] { static_cast<void>(invert_lower(gram, pool).ok()); }));
    as_it_comes.add(fit());
    get_memory_at_hand(split.catalogue);
    whole.add(fit());
  }
  const auto line = [&](const char* what, const bench::Figures& figures) {
    fmt::print("{} threads {:<23}{:>8.3f} s (best {:.3f})   {:>4.0f}% of the bound's speed\n", threads, what,
               figures.median(), figures.least(), 100.0 * bound.median() / figures.median());
  };
  line("potrf_and_potri", bound);
  line("inverse", inverse);
  line("counting_pairs", counting);
  line("whole_fit", whole);
  line("whole_fit_as_it_comes", as_it_comes);
}

}  // namespace
}  // namespace sotto::bench

int main() {
  const sotto::bench::Split split = sotto::bench::movielens();
  fmt::print("{} items, medians of {}: processor time of one thread, the clock on the wall for two\n",
             split.catalogue, sotto::bench::repeats);
  for (const std::size_t threads : {1u, 2u}) sotto::bench::measure(split, threads);
  return 0;
}
