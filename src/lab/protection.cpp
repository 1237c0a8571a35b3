#include "lab/protection.h"

namespace sotto {

Result<Protection> protect(const TrainRequest& request, SumShape shape, std::size_t /*users*/,
                           Executor& /*executor*/) {
  Protection protection;
  if (request.robust.asked()) {
    const auto group_sum = [shape](std::size_t) { return std::make_unique<PlainCollector>(shape); };
    protection.put_before(
        std::make_unique<RobustSum>(shape, request.robust, request.plan.fixed, request.plan.seed, group_sum));
  }
  return protection;
}

}  // namespace sotto
