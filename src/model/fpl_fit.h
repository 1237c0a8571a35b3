// The device's half of FPL at work: visits into a sink. The second half of model/fpl.h, which includes it.
#pragma once

#include "model/fpl.h"

namespace sotto::model {

template <class Sink>
kernels::PairStep Fpl::open(const Visit& visit, const Pair& pair, Sink& sink) const {
  sink.make_room(2);
  return {.positive = visit.shared->row(pair.positive.value),
          .negative = visit.shared->row(pair.negative.value),
          .own = visit.own,
          .moved = options_.local == LocalSteps::batch ? visit.scratch : visit.own,
          .sum_positive = sink.open(Evidence::positive, pair.positive.value),
          .sum_negative = sink.open(Evidence::negative, pair.negative.value)};
}

template <class Sink>
VisitReport Fpl::fit(std::span<const Visit> visits, std::span<Sink> sinks) const {
  SOTTO_ASSERT(visits.size() <= kernels::most_steps, "so many visits are computed side by side");
  const kernels::PairRates shared_rates = rates(sinks[0].scale());
  const bool batch = options_.local == LocalSteps::batch;
  kernels::PairStep steps[kernels::most_steps];
  VisitReport report;
  if (batch)
    for (const Visit& visit : visits) std::copy_n(visit.own, stride_, visit.scratch);
  const std::size_t triples = visits[0].pairs.size();
  for (std::size_t t = 0; t < triples; ++t) {
    if (rows_are_far_ && t + 1 < triples)
      for (std::size_t n = 0; n < visits.size(); ++n) {
        const Pair& next = visits[n].pairs[t + 1];
        prefetch(*visits[n].shared, next);
        sinks[n].prefetch(next.positive.value);
        sinks[n].prefetch(next.negative.value);
      }
    for (std::size_t n = 0; n < visits.size(); ++n) steps[n] = open(visits[n], visits[n].pairs[t], sinks[n]);
    const kernels::PairTotals totals = kernels::pair_steps({steps, visits.size()}, shared_rates);
    report.loss_units += totals.loss_units;
    report.finite &= totals.finite;
    if (totals.crowded != 0) [[unlikely]] {
      for (std::size_t n = 0; n < visits.size(); ++n) {
        if ((totals.crowded >> n & 1u) == 0) continue;
        sinks[n].relieve(visits[n].pairs[t].positive.value);
        sinks[n].relieve(visits[n].pairs[t].negative.value);
      }
    }
  }
  if (batch)
    for (const Visit& visit : visits) std::copy_n(visit.scratch, stride_, visit.own);
  return report;
}

template <class Sink>
VisitReport Fpl::fit_once(std::span<const SoloVisit> visits, const RowMatrix& shared, Sink& sink) const {
  SOTTO_ASSERT(visits.size() <= kernels::most_steps, "so many visits are computed side by side");
  kernels::PairStep steps[kernels::most_steps];
  for (std::size_t n = 0; n < visits.size(); ++n) {
    const Pair& pair = visits[n].pair;
    sink.make_room(2);
    steps[n] = {.positive = shared.row(pair.positive.value),
                .negative = shared.row(pair.negative.value),
                .own = visits[n].own,
                .moved = visits[n].own,
                .sum_positive = sink.open(Evidence::positive, pair.positive.value),
                .sum_negative = sink.open(Evidence::negative, pair.negative.value)};
  }
  const kernels::PairTotals totals = kernels::pair_steps({steps, visits.size()}, rates(sink.scale()));
  for (std::size_t n = 0; totals.crowded != 0 && n < visits.size(); ++n) {
    if ((totals.crowded >> n & 1u) == 0) continue;
    sink.relieve(visits[n].pair.positive.value);
    sink.relieve(visits[n].pair.negative.value);
  }
  return {totals.loss_units, totals.finite};
}

}  // namespace sotto::model
