// What a person should know about a rule they just made: that it may be mistyped, or what it costs.
//
// Laws: empty where there is nothing to say. The names it offers are those of the catalogues on the device.
#pragma once

#include <string>

#include "device/vault.h"

namespace sotto::cli {

// A rule for something that is neither among the person's things nor in any catalogue of this device; or that
// cannot be checked, as there is none yet.
[[nodiscard]] Result<std::string> remark_on_item(Vault& vault, const std::string& item);
// A rule that keeps back a category: not every task over a network says what is in which.
[[nodiscard]] std::string remark_on_category(const std::string& category, const std::string& answer);
// The same where the catalogues of this device do not settle it; or that none of them has such a category.
[[nodiscard]] Result<std::string> remark_on_category(Vault& vault, const std::string& category,
                                                     const std::string& answer);

}  // namespace sotto::cli
