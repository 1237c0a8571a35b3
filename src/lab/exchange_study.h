// The exchange study: how many bytes one exchange of FPL moves, down and up, in each precision of the model,
// and what the precision costs in quality.
//
// A run in each precision is looked at in some of its rounds: the version as its devices receive it, whole
// and as a delta, and the contributions they answer with. Nothing is estimated but the papers' figure, which
// stands beside them: bytes are the lengths of what the codecs made. Law: the same request and split give the
// same figures, for any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "fed/plan.h"

namespace sotto::lab {

struct ExchangeRequest {
  Plan plan;                    // its precision is not looked at: all are measured
  std::vector<double> cohorts;  // shares of the users in a round; none: the plan's
  std::uint32_t seeds = 3;      // that the quality is a mean over; bytes are the first one's
  std::uint32_t samples = 10;   // rounds that are looked at
  std::uint32_t cutoff = 10;
};
[[nodiscard]] Status check(const ExchangeRequest& request);

// Means over the rounds looked at, in bytes.
struct PrecisionFigures {
  ModelPrecision precision = ModelPrecision::f32;
  double whole = 0.0;       // the version, not packed
  double packed = 0.0;      // the version
  double from_last = 0.0;   // as a delta from the version before it
  double from_visit = 0.0;  // as a delta from the version of a device's last visit
  double up = 0.0;          // a contribution as integers of 32 bits
  double up_packed = 0.0;
  double quality = 0.0;  // P@cutoff, a mean over seeds

  // What a device that is asked every so many rounds moves.
  [[nodiscard]] double exchange() const { return from_visit + up_packed; }
};

struct CohortFigures {
  Schedule schedule;
  std::uint32_t rounds_between = 1;  // two visits of a device, on average
  double naive = 0.0;                // the model and the updated rows, all in floats
  double estimate = 0.0;             // the papers': |I| + T(1+π) vectors
  std::vector<PrecisionFigures> precisions;

  // How many times less than naively, and the share of quality that is lost against full floats.
  [[nodiscard]] double times_less(const PrecisionFigures& one) const { return naive / one.exchange(); }
  [[nodiscard]] double loss(const PrecisionFigures& one) const {
    return 1.0 - one.quality / precisions.front().quality;
  }
};

struct ExchangeHooks {
  const std::atomic<bool>* stop = nullptr;              // set by Ctrl-C
  std::function<void(const std::string& what)> on_run;  // a training begins
};

[[nodiscard]] Result<std::vector<CohortFigures>> run_exchange_study(const ExchangeRequest& request,
                                                                    const Split& split, Executor& executor,
                                                                    const ExchangeHooks& hooks);

}  // namespace sotto::lab
