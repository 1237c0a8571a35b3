// What a vault and the table that opens it are sealed with: XChaCha20-Poly1305 under a nonce drawn anew.
//
// Laws: what was changed, or stands under another name, does not open; sealing the same twice gives different
// bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "privacy/secure/secret.h"

namespace sotto::device {

[[nodiscard]] std::string sealed(const Secret& key, std::string_view plain, std::string_view name);
[[nodiscard]] std::optional<std::string> unsealed(const Secret& key, std::string_view sealed,
                                                  std::string_view name);

}  // namespace sotto::device
