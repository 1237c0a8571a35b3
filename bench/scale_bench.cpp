// A large federation in one process: a million made-up people with 40 places each are generated, split,
// trained for one pFPL+ round and judged on a sample. Prints time and memory beside what the data and the
// parameters alone take. SOTTO_SCALE_USERS chooses another size.
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "data/generate.h"
#include "lab/training.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"

namespace sotto {
namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int run(std::uint32_t users) {
  constexpr std::uint32_t items = 100'000;
  Clock clock;
  const Split split =
      generate_split({.users = users, .items = items, .cities = 50, .mean_interactions = 40.0, .seed = 1})
          .value();
  const double made = clock.lap();
  TrainRequest request;
  request.data.paths = {"generated"};
  request.plan.fpl.learning_rate = 0.001f;
  request.plan.epochs = 1;
  request.eval_users = 5000;
  static_cast<void>(settle(request).ok());
  ThreadPool pool(0);
  TrainHooks hooks;
  const Trained trained = train(request, split, pool, hooks).value();
  const double learned = clock.lap();
  const Evaluation evaluation =
      evaluate(*trained.model, split, evaluate_options(request, split, Part::test), pool).value();
  const double judged = clock.lap();

  const double interactions = static_cast<double>(split.train.interactions() + split.test.interactions());
  const double data = (interactions * 4.0 + static_cast<double>(users) * 3.0 * 8.0) / 1048576.0;
  const auto stride = static_cast<double>(RowMatrix::stride_for(request.plan.fpl.factors + 1));
  const double parameters = (static_cast<double>(users) + items) * stride * 4.0 / 1048576.0;
  fmt::print("{} users, {:.0f} interactions, {} threads\n", users, interactions, pool.threads());
  fmt::print(
      "generated and split {:.1f} s, one pFPL+ round {:.1f} s ({:.2f} million triples/s, {:.1f} µs a visit), "
      "{} users judged {:.1f} s\n",
      made, learned, static_cast<double>(trained.totals.triples) / learned / 1e6, learned / users * 1e6,
      evaluation.users, judged);
  fmt::print("peak {:.0f} MB; data {:.0f} MB and parameters {:.0f} MB: ratio {:.2f}\n", peak_megabytes(),
             data, parameters, peak_megabytes() / (data + parameters));
  return 0;
}

}  // namespace
}  // namespace sotto

int main() {
  const char* chosen = std::getenv("SOTTO_SCALE_USERS");
  return sotto::run(chosen != nullptr ? static_cast<std::uint32_t>(std::strtoul(chosen, nullptr, 10))
                                      : 1'000'000);
}
