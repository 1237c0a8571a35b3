// A device's policy and ledger as its person reads them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "device/item_titles.h"
#include "engine/terminal/console.h"
#include "privacy/ledger.h"
#include "privacy/personal_policy.h"

namespace sotto::cli {

// What the person has chosen; and beside it the levels, what they mean and what is told.
[[nodiscard]] std::string choices_text(const PersonalPolicy& policy);
[[nodiscard]] std::string policy_text(const PersonalPolicy& policy, const Console& console);
[[nodiscard]] nlohmann::json policy_json(const PersonalPolicy& policy);

// The newest `most` rounds and the sums of all; with the items that were in each where `titles` are given.
[[nodiscard]] std::string ledger_table(const LedgerReading& reading, std::size_t most,
                                       const ItemTitles* titles, const Console& console);
[[nodiscard]] nlohmann::json ledger_json(const LedgerReading& reading);

}  // namespace sotto::cli
