// RememberedTask: a task whose devices keep what they trained in a round, so that the round can be gone
// through again with other weights and nobody trains twice.
//
// Laws: it answers what the task answers, whoever asks and however often; it holds one round's models, those
// of the last round that was trained.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "model/averaging/local_task.h"

namespace sotto::engine {

class RememberedTask final : public LocalTask {
 public:
  // The task outlives it.
  explicit RememberedTask(const LocalTask& task) : task_(task) {}

  [[nodiscard]] std::size_t parameters() const override { return task_.parameters(); }
  [[nodiscard]] std::vector<std::size_t> layer_ends() const override { return task_.layer_ends(); }
  [[nodiscard]] std::size_t devices() const override { return task_.devices(); }
  [[nodiscard]] bool takes_part(UserIndex device) const override { return task_.takes_part(device); }
  [[nodiscard]] bool answers(UserIndex device) const override { return task_.answers(device); }
  void start(std::uint64_t seed, std::span<float> model) const override { task_.start(seed, model); }
  [[nodiscard]] std::size_t private_width() const override { return task_.private_width(); }
  void start_private(std::uint64_t seed, UserIndex device, std::span<float> own) const override {
    task_.start_private(seed, device, own);
  }
  [[nodiscard]] Result<LocalReport> train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                                          const LocalTraining& how, std::span<float> model,
                                          std::span<float> own) const override;
  [[nodiscard]] Result<LocalScore> score(UserIndex device, LocalPart part, std::span<const float> model,
                                         std::span<std::uint8_t> right) const override {
    return task_.score(device, part, model, right);
  }

  // Who trained in the round that is kept, ascending.
  [[nodiscard]] std::vector<UserIndex> trained() const;

 private:
  struct Kept {
    LocalReport report;
    std::vector<float> model, own;
  };

  const LocalTask& task_;
  mutable std::mutex mutex_;
  mutable std::uint32_t round_ = 0;
  mutable std::map<std::uint32_t, Kept> kept_;  // by device
};

}  // namespace sotto::engine
