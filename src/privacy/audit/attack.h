// The attackers of the leakage audit, in one pass over a transcript. Each ends with evidence: one number an
// item for each target, larger where the item is more likely in that person's history.
//
//   A1 bias_sum    ΣΔb: a positive update of the item's bias
//   A2 absence     minus the times the item was seen as a negative
//   A3 match       the hidden item by its score (privacy/audit/score_match.h)
//   A3′ two_round  the same without biases (privacy/audit/direction_match.h)
//   A5 taste       b_i + p̂·q_i with the vector that the messages give away
//   A6 difference  mean of the messages that hold the person minus mean of those that do not
// A0 (popularity) needs no transcript, A4 (shadow training) weighs all the others: privacy/audit/blend.h.
// A message of a group is each member's message: the best that is known about any of them.
// Laws: the evidence about somebody depends on the messages alone; the same numbers for any number of
// threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/executor.h"
#include "data/ids.h"
#include "privacy/audit/direction_match.h"
#include "privacy/audit/score_match.h"
#include "privacy/audit/transcript.h"

namespace sotto {

enum class Attacker : std::uint8_t {
  popularity,
  bias_sum,
  absence,
  match,
  two_round,
  shadow,
  taste,
  difference
};
inline constexpr std::array every_attacker{Attacker::popularity, Attacker::bias_sum,  Attacker::absence,
                                           Attacker::match,      Attacker::two_round, Attacker::shadow,
                                           Attacker::taste,      Attacker::difference};
// "A3", and what it does in a few words.
[[nodiscard]] const char* code_of(Attacker attacker);
[[nodiscard]] const char* name_of(Attacker attacker);
// By its code: "A3'" is the bias-free match.
[[nodiscard]] Result<Attacker> parse_attacker(const std::string& text);

struct AttackLimits {
  bool match = true;
  std::uint32_t two_round_rounds = 8;  // A3′ looks at so many rounds of each person; it is the slowest
  std::size_t rows_of_a_sum = 64;      // A3 tries so many rows of a group's sum
};

class Attack {
 public:
  // `targets` ascend.
  Attack(const TranscriptHead& head, std::vector<UserIndex> targets, const AttackLimits& limits = {});

  void observe(const SeenRound& round, Executor& executor);

  [[nodiscard]] std::span<const UserIndex> targets() const { return targets_; }
  // Of one of A1, A2, A3, A3′, A5, A6; one number an item.
  [[nodiscard]] std::vector<float> evidence(Attacker attacker, std::size_t target) const;
  // Whether a positive update of the item was seen in a message of the target's alone: A1's count.
  [[nodiscard]] bool sent_as_own(std::size_t target, ItemIndex item) const {
    return states_[target].own[item.value] != 0;
  }

 private:
  // What has been gathered about one target.
  struct State {
    std::vector<float> bias, negatives, votes, directions;
    std::vector<std::uint8_t> own;
    std::vector<double> taste;
    std::uint32_t messages = 0;
    std::vector<SeenStep> last_steps;  // of the visit in round last_round
    std::uint32_t last_round = 0;
  };

  void absorb(const SeenRound& round, const SeenMessage& message, MatchRoom& room);
  void follow(const SeenRound& round, const Reading& reading, State& state);
  [[nodiscard]] std::vector<float> by_taste(const State& state) const;
  [[nodiscard]] std::vector<float> by_difference(const State& state) const;

  TranscriptHead head_;
  std::vector<UserIndex> targets_;
  std::vector<std::uint32_t> place_;  // of each user in targets_, plus one; 0: no target
  AttackLimits limits_;
  std::vector<State> states_;
  std::vector<float> squares_, last_squares_;  // |q_i|² of this round and the last
  RowMatrix last_shared_;
  std::uint32_t last_round_ = 0;
  bool seen_a_round_ = false;
  std::vector<double> total_bias_;  // over all messages, each for its mean member
  std::uint64_t messages_ = 0;
};

}  // namespace sotto
