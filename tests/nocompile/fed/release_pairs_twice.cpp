// error: release
#include "fed/pair_aggregator.h"

sotto::PairSum release_and_keep(sotto::PairAggregator& sum) { return sum.release(); }
