// error: array
#include "base/codec.h"
#include "data/pair_sampler.h"

void write_training_pairs(sotto::Writer& out, std::span<const sotto::Pair> pairs) { out.array(pairs); }
