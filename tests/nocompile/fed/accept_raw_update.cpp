// error: Contribution
#include "fed/aggregator.h"

void sum_a_raw_update(sotto::fed::Aggregator& sum, const sotto::fed::RowMatrix& gradient) {
  static_cast<void>(sum.accept(gradient));
}
