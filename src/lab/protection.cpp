#include "lab/protection.h"

#include "fed/secure/secure_collector.h"

namespace sotto {

Result<Protection> protect(const TrainRequest& request, SumShape shape, std::size_t /*users*/,
                           Executor& executor) {
  Protection chain;
  if (request.sum.kind != SumKind::plain)
    chain.put_before(std::make_unique<SecureCollector>(request.sum, shape, request.plan.seed, executor));
  return chain;
}

}  // namespace sotto
