// SecurePart: a device's part in the secure sum of one round, from the server's messages to its own.
//
// Laws: the terms are those that the device reckons from the task's assumptions for the cohort that it is
// shown; other terms, a cohort too small for any, a place that is not its own and a sum of another shape are
// refused by name, and then it says nothing more.
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
  [[nodiscard]] const Secret& secrets() const { return secrets_; }

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

  SecurePart(const Task& task, Contribution contribution, const SumSecrets& secrets)
      : task_(task), contribution_(std::move(contribution)), secrets_(secrets) {}
  SecurePart(const SecurePart&) = delete;  // the sum looks at its directory
  SecurePart& operator=(const SecurePart&) = delete;

  // What follows the server's answer to a phase before the last.
  [[nodiscard]] Result<Outgoing> after(v1::Phase phase, const std::string& answer);

 private:
  [[nodiscard]] Result<Outgoing> join(const std::string& answer);
  [[nodiscard]] Result<Outgoing> give(const std::string& answer);
  [[nodiscard]] Result<std::vector<std::int32_t>> input() const;

  Task task_;
  Contribution contribution_;
  SumSecrets secrets_;
  std::vector<PublicKey> directory_;
  std::optional<SumDevice> sum_;
};

}  // namespace sotto::device
