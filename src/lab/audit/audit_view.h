// What a curious server of an audit sees, as one says it on the command line.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "privacy/audit/transcript.h"

namespace sotto::lab {

struct AuditView {
  View view = View::plain;
  std::uint32_t least = 0;  // secure:50: devices that the one sum of a round must have; 0: any number
  std::uint32_t group = 0;  // groups:50: devices of each of a round's sums, at least; 0: one sum a round
  bool noisy = false;       // +dp: every device adds its share of the noise
};
// "plain", "shuffled", "secure", "secure:50", "groups:50"; the last three also with "+dp".
[[nodiscard]] Result<AuditView> parse_view(const std::string& text);
[[nodiscard]] std::string to_string(const AuditView& view);

}  // namespace sotto::lab
