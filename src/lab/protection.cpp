#include "lab/protection.h"

namespace sotto {

Result<Protection> protect(const TrainRequest& /*request*/, SumShape /*shape*/, std::size_t /*users*/,
                           Executor& /*executor*/) {
  return Protection{};
}

}  // namespace sotto
