// error: Contribution
#include "fed/aggregator.h"

void sum_a_raw_update(sotto::Aggregator& sum, const sotto::RowMatrix& gradient) {
  static_cast<void>(sum.accept(gradient));
}
