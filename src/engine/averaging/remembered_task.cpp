#include "engine/averaging/remembered_task.h"

#include <algorithm>

namespace sotto::engine {

Result<LocalReport> RememberedTask::train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                                          const LocalTraining& how, std::span<float> model,
                                          std::span<float> own) const {
  {
    const std::lock_guard lock(mutex_);
    if (round != round_) {
      kept_.clear();
      round_ = round;
    }
    if (const auto found = kept_.find(device.value); found != kept_.end()) {
      std::copy(found->second.model.begin(), found->second.model.end(), model.begin());
      std::copy(found->second.own.begin(), found->second.own.end(), own.begin());
      return found->second.report;
    }
  }
  SOTTO_TRY(const LocalReport report, task_.train(seed, round, device, how, model, own));
  const std::lock_guard lock(mutex_);
  kept_[device.value] = {report, {model.begin(), model.end()}, {own.begin(), own.end()}};
  return report;
}

std::vector<UserIndex> RememberedTask::trained() const {
  const std::lock_guard lock(mutex_);
  std::vector<UserIndex> devices;
  for (const auto& [device, kept] : kept_) devices.push_back(UserIndex{device});
  return devices;
}

}  // namespace sotto::engine
