// The attackers of FPL's messages (A1 to A6 of privacy/audit/attacker.h), in one pass over a transcript.
// A0 (popularity) needs no transcript, A4 (shadow training) weighs all the others: privacy/audit/blend.h.
//
// A message of a group is each member's message: the best that is known about any of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/audit/direction_match.h"
#include "privacy/audit/score_match.h"
#include "privacy/audit/witness.h"

namespace sotto::privacy {

struct AttackLimits {
  bool match = true;
  std::uint32_t two_round_rounds = 8;  // A3′ looks at so many rounds of each person; it is the slowest
  std::size_t rows_of_a_sum = 64;      // A3 tries so many rows of a group's sum
};

class Attack final : public Witness {
 public:
  // `targets` ascend.
  Attack(const TranscriptHead& head, std::vector<UserIndex> targets, const AttackLimits& limits = {});

  void observe(const SeenRound& round, Executor& executor) override;

  [[nodiscard]] std::span<const UserIndex> targets() const override { return targets_; }
  // Of one of A1, A2, A3, A3′, A5, A6; one number an item.
  [[nodiscard]] std::vector<float> evidence(Attacker attacker, std::size_t target) const override;
  // Whether a positive update of the item was seen in a message of the target's alone: A1's count.
  [[nodiscard]] bool sent_as_own(std::size_t target, ItemIndex item) const override {
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

}  // namespace sotto::privacy
