// error: array
#include "base/codec.h"
#include "data/pair_sampler.h"

void write_training_pairs(sotto::fed::Writer& out, std::span<const sotto::fed::Pair> pairs) {
  out.array(pairs);
}
