#include "lab/protection.h"

#include "fed/secure/secure_collector.h"
#include "lab/dp.h"

namespace sotto {

std::unique_ptr<Collector> server_side(const TrainRequest& request, SumShape shape, Executor& executor) {
  if (request.sum.kind == SumKind::plain) return std::make_unique<PlainCollector>(shape);
  return std::make_unique<SecureCollector>(request.sum, shape, request.plan.seed, executor);
}

std::string mechanism_name(const TrainRequest& request) {
  std::string name = request.sum.kind == SumKind::plain ? "plain" : std::string(to_string(request.sum.kind));
  if (request.dp.asked()) name += ", " + request.dp.place + " noise";
  return name;
}

Result<Protection> protect(const TrainRequest& request, SumShape shape, Executor& executor) {
  Protection protection;
  if (request.sum.kind == SumKind::plain && !request.dp.asked()) return protection;
  protection.put_before(server_side(request, shape, executor));
  protection.call({.name = mechanism_name(request)});
  if (request.dp.asked()) SOTTO_TRY_DONE(put_noisy_rounds(protection, request, shape));
  return protection;
}

}  // namespace sotto
