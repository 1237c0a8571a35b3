// For tests: a task whose sums are secure, by terms that a handful of devices can keep.
#pragma once

#include <sotto/v1/federation.pb.h>

#include "base/layers.h"

namespace sotto::fed {

inline void sum_securely(v1::TaskSpec& spec) {
  spec.set_sum(v1::SUM_SECURE);
  v1::SumAssumed& assumed = *spec.mutable_assumed();
  assumed.set_corrupt(0.05);
  assumed.set_dropped(0.1);
  assumed.set_leak(1e-6);
  assumed.set_abort(1e-3);
  assumed.set_crowd(4);
}

}  // namespace sotto::fed
