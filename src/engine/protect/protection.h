// Protection: what stands between the devices of a run and the sum, by the run's request.
//
// From the device's side to the server's: consent (always, in the contribution itself), then the collectors
// of the chain in the order of architecture: weights by criteria (engine/protect/weighing.h), clip, noise,
// robust groups, secure sum. Law: without any protection asked for there is no chain, and a run goes the
// short way.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/executor.h"
#include "engine/plan/request.h"
#include "engine/protect/ledger_recorder.h"
#include "fed/collector.h"
#include "fed/criteria/weighing_collector.h"

namespace sotto::engine {

class Protection {
 public:
  // The collector that devices talk to; null: the plain sum.
  [[nodiscard]] Collector* first() const { return chain_.empty() ? nullptr : chain_.back().get(); }
  // Puts one more before those that are there.
  void put_before(std::unique_ptr<Collector> collector) { chain_.push_back(std::move(collector)); }
  // What noise has cost so far; none where there is no noise.
  [[nodiscard]] std::optional<PrivacySpent> spent() const {
    return spent_ ? std::optional(spent_()) : std::nullopt;
  }
  // A training begins, or goes on after so many rounds: what they cost counts, and what is left must be
  // payable.
  [[nodiscard]] Status count_before(std::uint32_t rounds) const {
    return count_before_ ? count_before_(rounds) : Done{};
  }
  void tell_spent(std::function<PrivacySpent()> spent, std::function<Status(std::uint32_t)> count_before) {
    spent_ = std::move(spent);
    count_before_ = std::move(count_before);
  }
  // Told how many rounds came before, where a training goes on and nothing was charged for them.
  void on_resume(std::function<Status(std::uint32_t)> count_before) {
    count_before_ = std::move(count_before);
  }
  // What weighing by criteria has come to so far; none without criteria.
  [[nodiscard]] std::optional<WeighingTally> weighed() const {
    return weighed_ ? std::optional(weighed_()) : std::nullopt;
  }
  void tell_weighed(std::function<WeighingTally()> weighed) { weighed_ = std::move(weighed); }
  // What a device's ledger calls the chain.
  void call(Mechanism mechanism) { mechanism_ = std::move(mechanism); }
  [[nodiscard]] const Mechanism& mechanism() const { return mechanism_; }

 private:
  std::vector<std::unique_ptr<Collector>> chain_;  // from the sum outwards
  Mechanism mechanism_;
  std::function<PrivacySpent()> spent_;
  std::function<Status(std::uint32_t)> count_before_;
  std::function<WeighingTally()> weighed_;
};

// What stands on the server's side of noise: the sum itself, plain or by a protocol that shows the server
// sums alone.
[[nodiscard]] std::unique_ptr<Collector> server_side(const TrainRequest& request, SumShape shape,
                                                     Executor& executor);

// The chain for a sum of the given shape. The request's noise is calibrated (with_noise in
// engine/protect/dp.h).
[[nodiscard]] Result<Protection> protect(const TrainRequest& request, SumShape shape, Executor& executor);

// Fails where something is said that only a secure sum reads, and the sum is plain. Where people may keep
// criteria back, a plain one reads the crowd, too.
[[nodiscard]] Status check_is_read(const SumOptions& sum, bool plain_has_crowd);

// Fails where the robust sum asked for cannot be.
[[nodiscard]] Status check_robust(const TrainRequest& request);

// The settings on the server's side of noise that decide a model, as text: part of its name. Empty where the
// sum is that of all devices, however it is made.
[[nodiscard]] std::string robust_settings(const TrainRequest& request);

// What a device's ledger calls the request's protections.
[[nodiscard]] std::string mechanism_name(const TrainRequest& request);

}  // namespace sotto::engine
