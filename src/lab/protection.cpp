#include "lab/protection.h"

#include "lab/dp.h"

namespace sotto {

Result<Protection> protect(const TrainRequest& request, SumShape shape, std::size_t /*users*/,
                           Executor& /*executor*/) {
  Protection protection;
  if (request.dp.asked()) SOTTO_TRY_DONE(put_noisy_rounds(protection, request, shape));
  return protection;
}

}  // namespace sotto
