// Agent: a vault and an exchange together, as a host runs them: when the person and the conditions allow it.
//
// Laws: a person who has paused or withdrawn is not spoken for: nobody is asked anything; conditions are
// asked before each request, and what they forbid does not leave.
#pragma once

#include <functional>
#include <memory>

#include "device/exchange.h"
#include "device/vault.h"

namespace sotto::device {

struct Conditions {
  bool allowed = true;
  bool on_power = true;
  bool unmetered = true;
};
using AskConditions = std::function<Conditions()>;

struct AgentStep {
  bool not_now = false;  // conditions, or the person; nothing was asked since
  Exchange::Next next = {};
};

class Agent {
 public:
  // Until conditions are asked again.
  static constexpr std::int64_t not_now_ms = 60'000;

  // The vault outlives it.
  Agent(Vault& vault, ExchangeOptions options) : vault_(vault), options_(std::move(options)) {}

  [[nodiscard]] Result<AgentStep> advance(Transport& wire, const AskConditions& conditions,
                                          std::int64_t now_ms);

 private:
  Vault& vault_;
  ExchangeOptions options_;
  std::unique_ptr<Exchange> exchange_;  // the one that is going on
};

// Enrols with an operator's token, once: what it is made of stays the same until a coordinator answers.
[[nodiscard]] Status enrol_vault(Vault& vault, Transport& wire, std::string_view token);

}  // namespace sotto::device
