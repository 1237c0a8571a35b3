// ContextChoice: how much of something a person lets into the model on their own device: all of it (full), a
// share of it (partial), or nothing (off; of the history: none). The paper (Fed-CARS) calls the whole of
// these choices the user-defined context protocol, UDCP.
//
// Law: what choice_word() writes, parse_choice() reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace sotto::privacy {

struct ContextChoice {
  double share = 0.0;      // 1: full, 0: off
  std::uint32_t line = 0;  // of the file it was read from; 0: none
};
// By the name of the dimension (data/contexts.h).
using ContextChoices = std::map<std::string, ContextChoice>;
// The name that stands for every dimension without a choice of its own.
inline constexpr const char* other_contexts = "*";
// What `partial` means where no share is said.
inline constexpr double usual_part = 0.5;

// "full", "partial", "partial:0.3", or the word for nothing.
[[nodiscard]] Result<double> parse_choice(const std::string& text, const char* nothing);
[[nodiscard]] std::string choice_word(double share, const char* nothing);
[[nodiscard]] Status check_part(double share);

}  // namespace sotto::privacy
