#include "fed/collector.h"

#include "base/assert.h"
#include "fed/messages.h"

namespace sotto::fed {

Status PlainCollector::begin(const RoundPlace& /*place*/) {
  sum_.reset();  // what a failed round left behind
  sum_.emplace(space_);
  return Done{};
}

Status PlainCollector::accept(UserIndex /*user*/, Contribution& contribution) {
  SOTTO_ASSERT(sum_.has_value(), "a round begins before its contributions come");
  return sum_->accept(contribution);
}

Result<Traffic> PlainCollector::finish(Aggregator& total) {
  SOTTO_ASSERT(sum_.has_value(), "a round begins before it ends");
  const std::uint64_t bytes =
      encoded_contribution_bytes(sum_->contributions(), sum_->distinct_rows(), space_.width());
  const std::uint64_t devices = sum_->contributions();
  total.merge(std::move(*sum_));
  sum_.reset();
  return Traffic{.up = bytes, .devices = devices};
}

}  // namespace sotto::fed
