#include "device/agent.h"

#include "device/enrol.h"

namespace sotto::device {

namespace {

class AllowedWire final : public Transport {
 public:
  AllowedWire(Transport& wire, const AskConditions& conditions) : wire_(wire), conditions_(conditions) {}
  [[nodiscard]] Result<std::string> call(Method method, const std::string& request) override {
    if (!conditions_().allowed) {
      forbidden_ = true;
      return fail(Code::io, "the device's conditions do not allow it now");
    }
    return wire_.call(method, request);
  }
  [[nodiscard]] bool forbidden() const { return forbidden_; }

 private:
  Transport& wire_;
  const AskConditions& conditions_;
  bool forbidden_ = false;
};

AgentStep not_now() {
  AgentStep step{.not_now = true};
  step.next.wait_ms = Agent::not_now_ms;
  return step;
}

}  // namespace

Result<AgentStep> Agent::advance(Transport& wire, const AskConditions& conditions, std::int64_t now_ms) {
  SOTTO_TRY(const PersonalPolicy policy, vault_.policy());
  if (policy.paused || policy.withdrawn) {
    exchange_.reset();
    return not_now();
  }
  const Conditions now = conditions();
  if (!now.allowed) return not_now();
  if (exchange_ == nullptr) {
    ExchangeOptions options = options_;
    options.on_power = now.on_power;
    options.unmetered = now.unmetered;
    exchange_ = std::make_unique<Exchange>(vault_, std::move(options));
  }
  AllowedWire allowed(wire, conditions);
  auto next = exchange_->advance(allowed, now_ms);
  const bool over = !next.ok() || next->what != Exchange::Next::What::wait;
  if (over) exchange_.reset();
  if (!next.ok()) return next.error();
  AgentStep step{.not_now = allowed.forbidden() && !over, .next = std::move(*next)};
  return step;
}

Status enrol_vault(Vault& vault, Transport& wire, std::string_view token) {
  SOTTO_TRY(const auto known, vault.enrolment());
  if (known) return fail(Code::usage, "this device is enrolled already");
  SOTTO_TRY(const Secret entropy, vault.enrolment_entropy());
  SOTTO_TRY(const Enrolment enrolment, enrol(wire, token, entropy));
  return vault.keep_enrolment(enrolment);
}

}  // namespace sotto::device
