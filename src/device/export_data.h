// All that a device keeps about its person, as one JSON document they can take elsewhere.
//
// Law: what is in the vault about the person is in the document; keys are not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "device/vault.h"

namespace sotto::device {

// One line of a ledger.
[[nodiscard]] nlohmann::json entry_json(const LedgerEntry& entry);
// A thing with its rating (as "value") and time, or null, and its contexts, if there are some.
[[nodiscard]] nlohmann::json interaction_json(const KeptInteraction& one);
// With its bytes as numbers.
[[nodiscard]] nlohmann::json example_json(const KeptExample& one);
// Names come from outside and need not be UTF-8: what is not is replaced.
[[nodiscard]] std::string json_text(const nlohmann::json& json, int indent);
[[nodiscard]] Result<std::string> export_json(Vault& vault);

}  // namespace sotto::device
