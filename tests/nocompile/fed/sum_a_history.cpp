// error: ItemSet
#include "data/histories.h"
#include "fed/pair_aggregator.h"

void sum_a_raw_history(sotto::fed::PairAggregator& sum, const sotto::fed::Histories& histories) {
  static_cast<void>(sum.accept(histories.of(sotto::fed::UserIndex{0})));
}
