// What an exchange weighs in bytes, as figures of `./dev verify`.
#pragma once

#include <map>
#include <string>

#include "engine/plan/request.h"
#include "lab/exchange_study.h"

namespace sotto::tests {

// Of a model in 8 bits: how many times less an exchange moves than all in floats, and the share of P@10 that
// it loses, a mean over three seeds.
inline Result<std::map<std::string, double>> exchange_figures(const TrainRequest& train, const Split& split,
                                                              Executor& executor) {
  ExchangeRequest request;
  request.plan = train.plan;
  SOTTO_TRY(const auto all, run_exchange_study(request, split, executor, {}));
  const CohortFigures& figures = all.front();
  const PrecisionFigures& bytes = figures.precisions.back();
  return std::map<std::string, double>{{"less", figures.times_less(bytes)}, {"loss", figures.loss(bytes)}};
}

}  // namespace sotto::tests
