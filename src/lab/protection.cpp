#include "lab/protection.h"

#include "fed/secure/secure_collector.h"
#include "lab/dp.h"

namespace sotto {

std::unique_ptr<Collector> last_sum(const TrainRequest& request, SumShape shape, Executor& executor) {
  if (request.sum.kind == SumKind::plain) return std::make_unique<PlainCollector>(shape);
  return std::make_unique<SecureCollector>(request.sum, shape, request.plan.seed, executor);
}

Result<Protection> protect(const TrainRequest& request, SumShape shape, std::size_t /*users*/,
                           Executor& executor) {
  Protection protection;
  const bool plain = request.sum.kind == SumKind::plain && !request.dp.asked();
  if (plain) return protection;
  protection.put_before(last_sum(request, shape, executor));
  if (request.dp.asked()) SOTTO_TRY_DONE(put_noisy_rounds(protection, request, shape));
  return protection;
}

}  // namespace sotto
