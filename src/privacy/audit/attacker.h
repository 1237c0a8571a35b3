// The attackers of the leakage audit by name. Each reads the messages of one kind of model; popularity (A0)
// needs none and stands beside all.
//
// Of FPL, whose rows are items (privacy/audit/attack.h):
//   A1 bias_sum    ΣΔb: a positive update of the item's bias
//   A2 absence     minus the times the item was seen as a negative
//   A3 match       the hidden item by its score (privacy/audit/score_match.h)
//   A3′ two_round  the same without biases (privacy/audit/direction_match.h)
//   A4 shadow      all the others, weighed on known people (privacy/audit/blend.h)
//   A5 taste       b_i + p̂·q_i with the vector that the messages give away
//   A6 difference  mean of the messages that hold the person minus mean of those that do not
// Of KGFlex, whose rows are features (privacy/audit/feature_attack.h):
//   B1 presence    the features whose rows were seen, the rarer the more they say
//   B2 signs       ΣΔb of the features: above 0 where more consumed items have it than others
//   B3 odds        seen and unseen features, by their odds with known people (privacy/audit/seen_odds.h)
//   B4 shadow      all the others, weighed on known people
//   B5 unmixing    the few items whose features together explain the rows (privacy/audit/unmixing.h)
//   B6 difference  as A6, feature by feature
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "privacy/audit/transcript.h"

namespace sotto::privacy {

enum class Attacker : std::uint8_t {
  popularity,
  bias_sum,
  absence,
  match,
  two_round,
  shadow,
  taste,
  difference,
  feature_presence,
  feature_signs,
  feature_odds,
  feature_shadow,
  feature_unmixing,
  feature_difference,
};
inline constexpr std::array every_attacker{Attacker::popularity, Attacker::bias_sum,  Attacker::absence,
                                           Attacker::match,      Attacker::two_round, Attacker::shadow,
                                           Attacker::taste,      Attacker::difference};
inline constexpr std::array every_feature_attacker{
    Attacker::popularity,     Attacker::feature_presence, Attacker::feature_signs,     Attacker::feature_odds,
    Attacker::feature_shadow, Attacker::feature_unmixing, Attacker::feature_difference};

// Those who read the messages of such a model; popularity first.
[[nodiscard]] std::span<const Attacker> attackers_of(SeenModel model);
// The one that weighs all the others.
[[nodiscard]] Attacker shadow_of(SeenModel model);

// "A3", and what it does in a few words.
[[nodiscard]] const char* code_of(Attacker attacker);
[[nodiscard]] const char* name_of(Attacker attacker);
// By its code: "A3'" is the bias-free match.
[[nodiscard]] Result<Attacker> parse_attacker(const std::string& text);

}  // namespace sotto::privacy
