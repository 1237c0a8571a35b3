// A passphrase that a person types: it is not shown, and is wiped.
//
// Law: the terminal is as it was afterwards, also where the person gave up with Ctrl-C.
#pragma once

#include <string>

#include "base/result.h"
#include "device/vault_key.h"

namespace sotto::engine {

[[nodiscard]] bool can_ask();  // stdin is a terminal
// Code::cancelled for Ctrl-C, Ctrl-D and the end of the terminal.
[[nodiscard]] Result<Passphrase> ask_secret(const std::string& prompt);

}  // namespace sotto::engine
