// error: ItemSet
#include "data/histories.h"
#include "fed/pair_aggregator.h"

void sum_a_raw_history(sotto::PairAggregator& sum, const sotto::Histories& histories) {
  static_cast<void>(sum.accept(histories.of(sotto::UserIndex{0})));
}
