// SecurePart: a device's part in one secure sum of a round, from the server's messages to its own.
//
// Laws: the terms are those that the device reckons from the task's assumptions for the cohort that it is
// shown; other terms, a cohort too small for any, a place that is not its own and a sum of another shape or
// range are refused by name, and then it says nothing more. Nothing that the contribution holds decides
// whether it goes on. Where the round had a sum before, its cohort is those who stayed in that, all of whom
// were told the same, and it ends where few of them left (shows_few()).
#pragma once

#include <sotto/v1/federation.pb.h>

#include <optional>
#include <string>
#include <vector>

#include "fed/models/task.h"
#include "fed/secure/sum_device.h"
#include "privacy/contribution.h"

namespace sotto::device {

// What one round's sum is made of on the device: its key there, and the secrets it shares.
class SumSecrets {
 public:
  explicit SumSecrets(const Secret& entropy)
      : identity_(entropy.derive("sotto sum identity")), secrets_(entropy.derive("sotto sum secrets")) {}
  [[nodiscard]] const Identity& identity() const { return identity_; }
  // Of a part of the round.
  [[nodiscard]] Secret secrets(std::size_t part) const {
    return part == 0 ? secrets_ : secrets_.derive("part of a round", part);
  }

 private:
  Identity identity_;
  Secret secrets_;
};

class SecurePart {
 public:
  // A message and the phase it is for.
  struct Outgoing {
    v1::Phase phase = v1::PHASE_JOIN;
    std::string data;
  };

  // `cohort`: who stayed in the sum before; none where it is the round's first.
  SecurePart(const Task& task, Contribution contribution, const SumSecrets& secrets,
             std::vector<PublicKey> cohort = {})
      : task_(task), contribution_(std::move(contribution)), secrets_(secrets), cohort_(std::move(cohort)) {}
  SecurePart(const SecurePart&) = delete;  // the sum looks at its directory
  SecurePart& operator=(const SecurePart&) = delete;

  // What follows the server's answer to a phase before the last.
  [[nodiscard]] Result<Outgoing> after(v1::Phase phase, const std::string& answer);
  // Since they were agreed on: those whose inputs are in the sum.
  [[nodiscard]] const std::vector<PublicKey>& stayed() const { return stayed_; }
  // Since the input is masked: it is zeros, because a number of the contribution does not fit.
  [[nodiscard]] bool gave_nothing() const { return gave_nothing_; }

 private:
  [[nodiscard]] Result<Outgoing> join(const std::string& answer);
  [[nodiscard]] Result<Outgoing> give(const std::string& answer);
  [[nodiscard]] Result<Outgoing> agree_on(const std::string& answer);
  [[nodiscard]] std::vector<std::int32_t> input();

  Task task_;
  Contribution contribution_;
  SumSecrets secrets_;
  std::vector<PublicKey> cohort_, directory_, stayed_;
  std::optional<SumDevice> sum_;
  bool gave_nothing_ = false;
};

}  // namespace sotto::device
