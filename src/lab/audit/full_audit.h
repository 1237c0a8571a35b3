// The whole audit: the plan that was asked for, the controls that show whether the audit can be believed, and
// the curves of the leak over π and ε.
#pragma once

#include <functional>
#include <string>

#include "lab/audit/summary.h"

namespace sotto::lab {

struct FullAudit {
  AuditRequest request;
  bool controls = true;
  bool curves = false;
  std::uint32_t canaries = 0;  // trials of A7; 0: none
  std::string data;            // in words
};

struct FullAuditHooks {
  AuditHooks audit;
  std::function<void(const std::string&)> on_part;  // said when a part begins; may be empty
};

[[nodiscard]] Result<AuditReport> run_full_audit(const FullAudit& asked, const Split& split,
                                                 Executor& executor, const FullAuditHooks& hooks);

}  // namespace sotto::lab
