// The C library: the vault, what the person has and what they allow.
#include "base/version.h"
#include "device/c/device_handle.h"
#include "device/consent_change.h"
#include "device/vault_move.h"
#include "sotto/move.h"

namespace sotto::device {

namespace {

// Of the calls without a device.
std::string& thread_error() {
  thread_local std::string error;
  return error;
}

Result<VaultKey> key_of(const sotto_key* key) {
  if (key == nullptr || (key->bytes == nullptr) == (key->passphrase == nullptr))
    return fail(Code::usage, "a vault opens with 32 bytes or with a passphrase: give one of the two");
  if (key->passphrase != nullptr) return VaultKey(Passphrase(key->passphrase));
  return VaultKey(*secret_in({reinterpret_cast<const char*>(key->bytes), sizeof(Bytes32)}));
}

template <class Change>
sotto_status change_policy(sotto_device* device, const Change& change) noexcept {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(PersonalPolicy policy, own.vault->policy());
    SOTTO_TRY_DONE(change(policy));
    return own.vault->set_policy(policy);
  });
}

template <class Rules>
sotto_status change_rule(sotto_device* device, const char* name, const char* rule,
                         const Rules& rules) noexcept {
  return change_policy(device, [&](PersonalPolicy& policy) -> Status {
    SOTTO_TRY(const std::string what, given(name, "a name"));
    SOTTO_TRY(const std::string answer, given(rule, "a rule"));
    return choose_rule(rules(policy), what, answer);
  });
}

}  // namespace

sotto_status status_of(Code code) {
  switch (code) {
    case Code::usage:
      return SOTTO_USAGE;
    case Code::not_found:
      return SOTTO_NOT_FOUND;
    case Code::bad_input:
      return SOTTO_BAD_INPUT;
    case Code::incompatible:
      return SOTTO_INCOMPATIBLE;
    case Code::io:
      return SOTTO_IO;
    case Code::diverged:
      return SOTTO_DIVERGED;
    case Code::cancelled:
      return SOTTO_CANCELLED;
  }
  return SOTTO_INTERNAL;
}

}  // namespace sotto::device

using namespace sotto::device;  // NOLINT: the functions below are C's

const char* sotto_version(void) { return version; }

const char* sotto_strerror(sotto_status status) {
  switch (status) {
    case SOTTO_OK:
      return "fine";
    case SOTTO_USAGE:
      return "something was asked for that cannot be";
    case SOTTO_NOT_FOUND:
      return "not there";
    case SOTTO_BAD_INPUT:
      return "not what it should be";
    case SOTTO_INCOMPATIBLE:
      return "written by another version";
    case SOTTO_IO:
      return "the disk or the transport refused";
    case SOTTO_DIVERGED:
      return "training left the finite numbers";
    case SOTTO_CANCELLED:
      return "stopped";
    case SOTTO_INTERNAL:
      return "no memory, or a bug";
  }
  return "an unknown status";
}

const char* sotto_last_error(const sotto_device* device) {
  return device != nullptr ? device->error.c_str() : thread_error().c_str();
}

sotto_status sotto_device_open(const char* path, const sotto_key* key, int make, sotto_device** device) {
  if (device != nullptr) *device = nullptr;
  return guarded(thread_error(), [&]() -> Status {
    if (device == nullptr) return fail(Code::usage, "a place for the device is needed, not NULL");
    SOTTO_TRY(const std::string where, given(path, "a path"));
    SOTTO_TRY(const VaultKey opens, key_of(key));
    SOTTO_TRY(std::unique_ptr<Vault> vault,
              Vault::open(where, opens, make != 0 ? Making::if_missing : Making::never));
    auto agent = std::make_unique<Agent>(*vault, ExchangeOptions{});
    *device = new sotto_device{.vault = std::move(vault), .agent = std::move(agent)};
    return Done{};
  });
}

sotto_status sotto_device_change_key(sotto_device* device, const sotto_key* key) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(const VaultKey next, key_of(key));
    return own.vault->change_key([&]() -> Result<VaultKey> { return next; });
  });
}

sotto_status sotto_device_move_out(const char* path, const sotto_key* key, const char* file,
                                   const char* passphrase) {
  return guarded(thread_error(), [&]() -> Status {
    SOTTO_TRY(const std::string where, given(path, "a path"));
    SOTTO_TRY(const VaultKey opens, key_of(key));
    SOTTO_TRY(const std::string to, given(file, "a file"));
    SOTTO_TRY(const std::string words, given(passphrase, "a passphrase"));
    return move_out(where, opens, to, Passphrase(words));
  });
}

sotto_status sotto_device_move_in(const char* file, const char* passphrase, const char* path,
                                  const sotto_key* key) {
  return guarded(thread_error(), [&]() -> Status {
    SOTTO_TRY(const std::string from, given(file, "a file"));
    SOTTO_TRY(const std::string words, given(passphrase, "a passphrase"));
    SOTTO_TRY(const std::string where, given(path, "a path"));
    SOTTO_TRY(const VaultKey opens, key_of(key));
    return move_in(from, Passphrase(words), where, opens, where + ".moves");
  });
}

void sotto_device_close(sotto_device* device) { delete device; }

sotto_status sotto_device_delete(sotto_device* device) {
  if (device == nullptr) return SOTTO_USAGE;
  const sotto_status status = guarded(thread_error(), [&] {
    device->agent.reset();
    return Vault::destroy(std::move(device->vault));
  });
  delete device;
  return status;
}

sotto_status sotto_get_consent(sotto_device* device, sotto_consent_fn each, void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (each == nullptr) return fail(Code::usage, "a callback is needed, not NULL");
    SOTTO_TRY(const PersonalPolicy policy, own.vault->policy());
    each(user_data, level_of(policy), policy.pi, to_string(policy.mask),
         policy.withdrawn ? "withdrawn"
         : policy.paused  ? "paused"
                          : "");
    return Done{};
  });
}

sotto_status sotto_set_level(sotto_device* device, const char* level) {
  return change_policy(device, [&](PersonalPolicy& policy) -> Status {
    SOTTO_TRY(const std::string name, given(level, "a level"));
    return choose_level(policy, name);
  });
}

sotto_status sotto_set_pi(sotto_device* device, double pi) {
  return change_policy(device, [&](PersonalPolicy& policy) { return choose_share(policy, pi); });
}

sotto_status sotto_set_mask(sotto_device* device, const char* mask) {
  return change_policy(device, [&](PersonalPolicy& policy) -> Status {
    SOTTO_TRY(const std::string name, given(mask, "a mask"));
    return choose_mask(policy, name);
  });
}

sotto_status sotto_set_item_rule(sotto_device* device, const char* item, const char* rule) {
  return change_rule(device, item, rule,
                     [](PersonalPolicy& policy) -> PersonalRules& { return policy.items; });
}

sotto_status sotto_set_category_rule(sotto_device* device, const char* category, const char* rule) {
  return change_rule(device, category, rule,
                     [](PersonalPolicy& policy) -> PersonalRules& { return policy.categories; });
}

sotto_status sotto_set_sums(sotto_device* device, const char* sums) {
  return change_policy(device, [&](PersonalPolicy& policy) -> Status {
    SOTTO_TRY(const std::string name, given(sums, "secure or any"));
    return choose_sums(policy, name);
  });
}

sotto_status sotto_set_least_crowd(sotto_device* device, uint32_t crowd) {
  return change_policy(device, [&](PersonalPolicy& policy) { return choose_crowd(policy, crowd); });
}

sotto_status sotto_get_demands(sotto_device* device, int* secure_only, uint32_t* least_crowd) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (secure_only == nullptr || least_crowd == nullptr)
      return fail(Code::usage, "two places to write to are needed, not NULL");
    SOTTO_TRY(const PersonalPolicy policy, own.vault->policy());
    *secure_only = policy.secure_only ? 1 : 0;
    *least_crowd = policy.least_crowd;
    return Done{};
  });
}

sotto_status sotto_set_evaluation(sotto_device* device, const char* choice) {
  return change_policy(device, [&](PersonalPolicy& policy) -> Status {
    SOTTO_TRY(const std::string name, given(choice, "yes or no"));
    return choose_evaluation(policy, name);
  });
}

sotto_status sotto_get_evaluation(sotto_device* device, int* yes) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (yes == nullptr) return fail(Code::usage, "a place to write to is needed, not NULL");
    SOTTO_TRY(const PersonalPolicy policy, own.vault->policy());
    *yes = policy.evaluation ? 1 : 0;
    return Done{};
  });
}

sotto_status sotto_pause(sotto_device* device) {
  return change_policy(device, [](PersonalPolicy& policy) -> Status {
    policy.paused = true;
    return Done{};
  });
}

sotto_status sotto_resume(sotto_device* device) {
  return change_policy(device, [](PersonalPolicy& policy) { return end_pause(policy); });
}

sotto_status sotto_withdraw(sotto_device* device) {
  return change_policy(device, [](PersonalPolicy& policy) -> Status {
    withdraw(policy);
    return Done{};
  });
}
