// SecureRound: the phases of one secure sum (fed/secure/sum_server.h) between a cohort that is known and its
// total. It is given whole messages and the time, and says what each device hears.
//
//   keys ──▶ letters ──▶ inputs ──▶ agreement ──▶ reveal ──▶ done
//
// Laws: a phase closes when everybody expected has spoken or its time is up; a refused message leaves no
// trace but what it proves, and its sender counts as silent; the same message again gets the same answer as
// long as the round lives; a sum that failed releases nothing.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fed/collector.h"
#include "fed/models/task.h"
#include "fed/secure/sum_server.h"
#include "fed/wire/round_step.h"

namespace sotto::fed {

class SecureRound {
 public:
  enum class State : std::uint8_t { running, done, failed };

  // `directory` has the cohort's keys for this round. Fails where the terms cannot hold for so many.
  [[nodiscard]] static Result<std::unique_ptr<SecureRound>> start(const Task& task, std::uint32_t round,
                                                                  std::vector<PublicKey> directory,
                                                                  std::int64_t phase_ms, std::int64_t now_ms);
  SecureRound(const SecureRound&) = delete;
  SecureRound& operator=(const SecureRound&) = delete;

  // A message of the member at `place`, or none: is the answer there?
  [[nodiscard]] StepAnswer take(std::uint32_t place, v1::Phase phase, std::string_view message,
                                std::int64_t now_ms);
  [[nodiscard]] StepAnswer poll(std::uint32_t place, v1::Phase phase) const;
  void tick(std::int64_t now_ms);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const std::string& why() const { return why_; }  // of a failed one
  [[nodiscard]] v1::Phase phase() const { return static_cast<v1::Phase>(first_phase + at_); }
  [[nodiscard]] std::uint64_t inputs() const { return heard(v1::PHASE_MASKED).size(); }
  [[nodiscard]] bool in_sum(std::uint32_t place) const { return heard(v1::PHASE_MASKED).has(place); }
  // Whether it fell silent before its input was there, in a phase that is over.
  [[nodiscard]] bool left(std::uint32_t place) const;
  // What the messages so far show about the members, by place.
  [[nodiscard]] SumVerdict verdict() const { return judge(server_.findings(), server_.offer().terms); }
  [[nodiscard]] bool unexplained() const { return server_.findings().unexplained; }
  // Of a done one.
  [[nodiscard]] const SumTotal& total() const { return *total_; }

  // The largest message of a step, for so many devices.
  [[nodiscard]] static std::uint64_t most_bytes(const Task& task, std::uint32_t devices);

 private:
  static constexpr int first_phase = v1::PHASE_KEYS;
  static constexpr int phases = 5;

  SecureRound(const Task& task, SumOffer offer, std::vector<PublicKey> directory, std::int64_t phase_ms,
              std::int64_t now_ms);
  [[nodiscard]] const DeviceSet& heard(v1::Phase phase) const {
    return heard_[static_cast<std::size_t>(phase - first_phase)];
  }
  [[nodiscard]] StepAnswer receive(std::uint32_t place, v1::Phase phase, std::string_view message);
  [[nodiscard]] std::string answer(std::uint32_t place, v1::Phase phase) const;
  [[nodiscard]] std::uint32_t expected() const;
  void close(std::int64_t now_ms);
  [[nodiscard]] Status close_phase();

  Task task_;
  std::vector<PublicKey> directory_;
  SumServer server_;
  std::vector<std::uint32_t> committee_;
  std::int64_t phase_ms_;
  std::int64_t phase_ends_ms_;
  int at_ = 0;                                              // the phase that is open
  std::array<DeviceSet, phases> heard_;                     // who spoke in each
  std::vector<std::array<std::uint64_t, phases>> digests_;  // of what each said
  State state_ = State::running;
  std::string why_;
  std::optional<SumTotal> total_;
};

// The end of a chain of collectors where the sum was made elsewhere.
class GivenTotal final : public Collector {
 public:
  explicit GivenTotal(std::size_t width) : width_(width) {}
  void give(const SumTotal& total) { total_ = &total; }  // outlives finish()

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  std::size_t width_;
  const SumTotal* total_ = nullptr;
};

}  // namespace sotto::fed
