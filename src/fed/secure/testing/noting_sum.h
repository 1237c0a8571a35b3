// A sum that notes its sessions, for tests: none may be used twice.
#pragma once

#include <memory>
#include <vector>

#include "fed/secure/sum_protocol.h"

namespace sotto::fed {

class NotingSum final : public SumProtocol {
 public:
  // The list outlives it.
  NotingSum(std::unique_ptr<SumProtocol> sum, std::vector<std::uint64_t>& sessions)
      : sum_(std::move(sum)), sessions_(sessions) {}

  [[nodiscard]] Result<SumOutcome> sum(const SumTask& task) override {
    sessions_.push_back(task.session);
    return sum_->sum(task);
  }

 private:
  std::unique_ptr<SumProtocol> sum_;
  std::vector<std::uint64_t>& sessions_;
};

}  // namespace sotto::fed
