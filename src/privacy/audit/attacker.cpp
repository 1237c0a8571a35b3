#include "privacy/audit/attacker.h"

#include <fmt/core.h>

namespace sotto::privacy {

namespace {

struct Words {
  const char* code;
  const char* name;
};
// In the order of the enumeration.
constexpr std::array<Words, 14> words{{{"A0", "popularity alone"},
                                       {"A1", "sum of bias updates"},
                                       {"A2", "never seen as a negative"},
                                       {"A3", "score match in the catalogue"},
                                       {"A3'", "two-round match without biases"},
                                       {"A4", "shadow training"},
                                       {"A5", "ranking by the vector given away"},
                                       {"A6", "difference of sums"},
                                       {"B1", "features that were seen"},
                                       {"B2", "signs of feature updates"},
                                       {"B3", "odds of seen and unseen features"},
                                       {"B4", "shadow training"},
                                       {"B5", "items that explain the features"},
                                       {"B6", "difference of sums"}}};

}  // namespace

std::span<const Attacker> attackers_of(SeenModel model) {
  if (model == SeenModel::kgflex) return every_feature_attacker;
  return every_attacker;
}

Attacker shadow_of(SeenModel model) {
  return model == SeenModel::kgflex ? Attacker::feature_shadow : Attacker::shadow;
}

const char* code_of(Attacker attacker) { return words[static_cast<std::size_t>(attacker)].code; }
const char* name_of(Attacker attacker) { return words[static_cast<std::size_t>(attacker)].name; }

Result<Attacker> parse_attacker(const std::string& text) {
  std::string known;
  for (std::size_t n = 0; n < words.size(); ++n) {
    if (text == words[n].code) return static_cast<Attacker>(n);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", words[n].code);
  }
  return fail(Code::usage, fmt::format("unknown attacker '{}': choose from {}", text, known));
}

}  // namespace sotto::privacy
