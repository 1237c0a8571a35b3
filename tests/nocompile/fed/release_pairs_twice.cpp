// error: release
#include "fed/pair_aggregator.h"

sotto::fed::PairSum release_and_keep(sotto::fed::PairAggregator& sum) { return sum.release(); }
