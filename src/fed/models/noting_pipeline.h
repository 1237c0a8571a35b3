// NotingPipeline: a ContributionPipeline that takes note of the person's items that it lets out, for models
// whose rows do not show them.
#pragma once

#include <vector>

#include "privacy/contribution.h"

namespace sotto::fed {

class NotingPipeline : public ContributionPipeline {
 public:
  NotingPipeline(const ConsentGate& gate, FixedPoint fixed, Contribution& out, std::vector<ItemIndex>& noted)
      : ContributionPipeline(gate, fixed, out), noted_(noted) {}

  [[nodiscard]] bool leave(Evidence evidence, std::uint32_t item) {
    const bool may = ContributionPipeline::leave(evidence, item);
    if (may && evidence == Evidence::positive) noted_.push_back({item});
    return may;
  }
  [[nodiscard]] std::int32_t* open(Evidence evidence, std::uint32_t item, std::uint32_t row) {
    return leave(evidence, item) ? open_row(row) : nullptr;
  }

 private:
  std::vector<ItemIndex>& noted_;
};

}  // namespace sotto::fed
