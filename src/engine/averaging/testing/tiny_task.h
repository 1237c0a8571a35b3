// A federation small enough to reckon with, for tests: the model is one number, each device's training moves
// it by a number of its own, and a device's examples are the thresholds that the model is to exceed.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "base/rng.h"
#include "fed/criteria/device_facts.h"
#include "model/averaging/local_task.h"

namespace sotto::engine {

struct TinyDevice {
  float step = 0.0f;           // what its training adds to the model
  std::uint64_t records = 1;   // of ten
  std::uint32_t labels = 1;    // of ten
  std::uint32_t examples = 4;  // test and validation each: right where the model exceeds 0, 1, 2, …
};

class TinyTask final : public LocalTask {
 public:
  explicit TinyTask(std::vector<TinyDevice> members) : members_(std::move(members)) {}

  [[nodiscard]] std::size_t parameters() const override { return 1; }
  [[nodiscard]] std::vector<std::size_t> layer_ends() const override { return {1}; }
  [[nodiscard]] std::size_t devices() const override { return members_.size(); }
  [[nodiscard]] bool takes_part(UserIndex) const override { return true; }
  void start(std::uint64_t, std::span<float> model) const override { model[0] = 0.5f; }
  [[nodiscard]] std::size_t private_width() const override { return 1; }
  // What a device keeps: how often it trained.
  [[nodiscard]] Result<LocalReport> train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                                          const LocalTraining&, std::span<float> model,
                                          std::span<float> own) const override {
    ++trainings;
    own[0] += 1.0f;
    // A little of it is drawn, so that another round is another update.
    Stream stream(seed, Purpose::draw_triples, round, device.value);
    model[0] += members_[device.value].step + 0.01f * static_cast<float>(stream.uniform());
    return LocalReport{1, 1 << 20, true};
  }
  [[nodiscard]] Result<LocalScore> score(UserIndex device, LocalPart, std::span<const float> model,
                                         std::span<std::uint8_t> right) const override {
    LocalScore score{0, members_[device.value].examples};
    for (std::uint32_t n = 0; n < members_[device.value].examples; ++n) {
      const bool is_right = model[0] > static_cast<float>(n);
      score.right += is_right ? 1 : 0;
      if (!right.empty()) right[n] = is_right ? 1 : 0;
    }
    return score;
  }
  [[nodiscard]] const std::vector<TinyDevice>& members() const { return members_; }

  mutable std::atomic<std::uint32_t> trainings = 0;

 private:
  std::vector<TinyDevice> members_;
};

class TinyFacts final : public FactsSource {
 public:
  explicit TinyFacts(const TinyTask& task) : task_(task), met_at_(task.devices(), 0) {}
  [[nodiscard]] DeviceFacts of(UserIndex device) const override {
    const TinyDevice& member = task_.members()[device.value];
    DeviceFacts facts;
    facts.records = member.records;
    facts.most_records = 10;
    facts.of_class.assign(10, 0);
    for (std::uint32_t label = 0; label < member.labels; ++label) facts.of_class[label] = 1;
    facts.rounds_since = rounds_ - met_at_[device.value];
    return facts;
  }
  void note_round(std::uint32_t round, std::span<const UserIndex> cohort) {
    rounds_ = round + 1;
    for (const UserIndex device : cohort) met_at_[device.value] = rounds_;
  }

 private:
  const TinyTask& task_;
  std::uint32_t rounds_ = 0;
  std::vector<std::uint32_t> met_at_;  // of each device: rounds that were over after its last one
};

// Half of the devices have many records of few labels and move the model up; the others have few records of
// many labels and move it down further than the first move it up. Who counts by records first gets it right.
[[nodiscard]] inline std::vector<TinyDevice> two_kinds(std::size_t devices) {
  std::vector<TinyDevice> members;
  for (std::size_t n = 0; n < devices; ++n)
    members.push_back(n % 2 == 0 ? TinyDevice{0.5f, 10, 1} : TinyDevice{-0.8f, 1, 10});
  return members;
}

}  // namespace sotto::engine
