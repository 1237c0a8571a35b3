// Labelled examples in the commands of `sotto device`: added from files, listed.
#pragma once

#include <string>

#include "device/vault.h"
#include "engine/terminal/console.h"

namespace sotto::cli {

// One person's, out of a folder of `sotto train --model fedavg`; what the folder offers for testing is left
// out. They are named by what they are: the same example is kept once.
[[nodiscard]] Status add_examples(const std::string& dir, const std::string& folder,
                                  const std::string& collection, bool json, const Console& console);
// Name, size and label, with tabs between.
[[nodiscard]] Status list_examples(Vault& vault, const std::string& collection, bool json,
                                   const Console& console);

}  // namespace sotto::cli
