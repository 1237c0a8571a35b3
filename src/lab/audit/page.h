// The audit as one page: first what it means, in a table that a lawyer and an engineer can both read, then
// the plots.
#pragma once

#include "lab/audit/summary.h"
#include "lab/report/page.h"

namespace sotto::lab {

// What the figures of one attacker mean for a person, in a sentence.
[[nodiscard]] std::string meaning_of(const AttackerSummary& attacker);
// The verdict over all attackers, in one or two sentences.
[[nodiscard]] std::string verdict_of(const AuditReport& report);

// What the noise of the report is on: "messages" or "sums".
[[nodiscard]] const char* noisy_things(const AuditReport& report);

[[nodiscard]] Page audit_page(const AuditReport& report, const std::string& command);

}  // namespace sotto::lab
