// error: release
#include "fed/aggregator.h"

void release_and_keep(sotto::fed::Aggregator& sum) {
  sum.release([](std::uint32_t, const std::int64_t*) {});
}
