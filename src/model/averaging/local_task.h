// LocalTask: what federated averaging learns (McMahan et al. 2017): one flat vector of parameters, moved on
// each device by its own training and averaged by the server. Networks on libtorch are such tasks
// (neural/classifier.h), and so is anything else that can train a copy of the model on one device's data.
//
// Laws: everything drawn is keyed by (seed, round, device), so train() gives the same bytes whichever thread
// calls it; a task is not changed by what is asked of it, and several threads may ask at once. What a device
// keeps to itself is its private row, which never becomes a part of the flat vector.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "data/ids.h"

namespace sotto::model {

// How a device trains its copy of the model.
struct LocalTraining {
  std::uint32_t epochs = 5;
  std::uint32_t batch = 0;  // examples of a step; 0: all the device has
  float rate = 0.1f;        // of plain gradient steps
  float proximal = 0.0f;    // μ: adds μ/2·‖Θ − Θ_received‖² to the loss (Li et al. 2020)
};
[[nodiscard]] Status check(const LocalTraining& training);

// What a device reports to the simulator of its training. It is not part of any contribution.
struct LocalReport {
  std::uint64_t examples = 0;   // times they were looked at
  std::int64_t loss_units = 0;  // Σ loss in units of 2^-20
  bool finite = true;           // false: the numbers left the range
};

// How a model does on examples that a device kept out of its training.
struct LocalScore {
  std::uint64_t right = 0;
  std::uint64_t examples = 0;
};

enum class LocalPart : std::uint8_t { test, validation };

class LocalTask {
 public:
  LocalTask() = default;
  LocalTask(const LocalTask&) = delete;
  LocalTask& operator=(const LocalTask&) = delete;
  virtual ~LocalTask() = default;

  [[nodiscard]] virtual std::size_t parameters() const = 0;
  // Where each layer's parameters end in the flat vector, ascending; the last is parameters().
  [[nodiscard]] virtual std::vector<std::size_t> layer_ends() const = 0;
  [[nodiscard]] virtual std::size_t devices() const = 0;
  // Whether the device may be asked: the server knows it as one of those that train.
  [[nodiscard]] virtual bool takes_part(UserIndex device) const = 0;
  // Whether it answers when it is asked. People may keep to themselves all that they could train on.
  [[nodiscard]] virtual bool answers(UserIndex device) const { return takes_part(device); }
  // The model before the first round.
  virtual void start(std::uint64_t seed, std::span<float> model) const = 0;
  // What a device keeps to itself: so many numbers, and how they start.
  [[nodiscard]] virtual std::size_t private_width() const { return 0; }
  virtual void start_private(std::uint64_t /*seed*/, UserIndex /*device*/, std::span<float> /*own*/) const {}

  // The device's training: `model` comes in as received and goes out as trained; so does its private row.
  [[nodiscard]] virtual Result<LocalReport> train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                                                  const LocalTraining& how, std::span<float> model,
                                                  std::span<float> own) const = 0;
  // How the model does on the device's examples of a part. `right`, unless empty, has room for one number an
  // example of the part, 1 where the model is right. Where nothing is right or wrong, as in a ranking,
  // devices keep no such examples: 0 of 0.
  [[nodiscard]] virtual Result<LocalScore> score(UserIndex /*device*/, LocalPart /*part*/,
                                                 std::span<const float> /*model*/,
                                                 std::span<std::uint8_t> /*right*/) const {
    return LocalScore{};
  }
};

}  // namespace sotto::model
