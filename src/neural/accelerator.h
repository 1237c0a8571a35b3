// Where torch works: the processor, or a card where torch was built for one and finds it.
//
// Laws: one thread a call on the processor; on a card only algorithms whose sums have one order, and plain
// floats (no TF32), so that a run repeats bit for bit on one machine.
#pragma once

#include <ATen/ATen.h>

#include "base/result.h"
#include "model/averaging/classifier_options.h"

namespace sotto::neural {

// Tells torch how to behave there; fails where there is no such thing.
[[nodiscard]] Result<at::Device> torch_device(Accelerator accelerator);

// The threads that torch uses are counted by each thread for itself: to be said again by whoever calls it.
void keep_to_this_thread();

}  // namespace sotto::neural
