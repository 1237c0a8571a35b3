// The attackers of KGFlex's messages (B1 to B6 of privacy/audit/attacker.h), in one pass over a transcript.
//
// A device's rows are its own features: Δb_f = c·k_f, where k_f > 0 and c is above 0 if the consumed items of
// its pairs have the feature more often than the others. Which items have which features everybody knows. So
// rows tell the features that the person cares about, and through them the items. The same gathering
// answers both questions: which items are in the history, which features in the profile.
// A message of a group is each member's message: its rows are read as those of the mean member.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/item_features.h"
#include "privacy/audit/witness.h"

namespace sotto::privacy {

class FeatureAttack final : public Witness {
 public:
  // `targets` ascend; `features` outlive it and have the head's rows; its items come first.
  FeatureAttack(const TranscriptHead& head, const ItemFeatures& features, Question question,
                std::vector<UserIndex> targets);

  [[nodiscard]] std::span<const UserIndex> targets() const override { return targets_; }
  void observe(const SeenRound& round, Executor& executor) override;
  void learn(std::span<const std::size_t> teachers, const Histories& truth, Executor& executor) override;
  [[nodiscard]] std::vector<float> evidence(Attacker attacker, std::size_t target) const override;
  // A feature whose row was in a message of the target's alone. No message says an item outright.
  [[nodiscard]] bool sent_as_own(std::size_t target, ItemIndex thing) const override;

 private:
  // What has been gathered about one target, one entry a feature.
  struct State {
    std::vector<float> bias;
    std::vector<std::uint32_t> times;  // messages with the row
    std::uint32_t messages = 0;
    std::vector<float> odds, needed;  // one an item; learnt
  };

  [[nodiscard]] bool counts(std::int64_t bias_units) const;
  [[nodiscard]] std::vector<float> presence(const State& state) const;
  [[nodiscard]] std::vector<float> difference(const State& state) const;
  // How much more often the row is in the person's messages than in others.
  [[nodiscard]] std::vector<float> more_often(const State& state) const;
  [[nodiscard]] std::vector<std::uint8_t> seen(const State& state) const;
  // From one number a feature to one an item: the sum over its features over √ of their number.
  [[nodiscard]] std::vector<float> over_items(std::span<const float> by_feature) const;
  // The mean over an item's features, each weighed by how rare it is.
  [[nodiscard]] std::vector<float> rarity_mean(std::span<const float> by_feature) const;
  // From one number an item to one a feature.
  [[nodiscard]] std::vector<float> over_features(std::span<const float> by_item) const;

  TranscriptHead head_;
  const ItemFeatures* features_;
  Question question_;
  std::vector<UserIndex> targets_;
  std::vector<std::uint32_t> place_;  // of each user in targets_, plus one; 0: no target
  std::vector<State> states_;
  std::vector<float> rarity_;       // −log of the share of items that have the feature
  std::vector<double> total_bias_;  // over all messages, each for its mean member
  std::vector<std::uint64_t> total_times_;
  std::uint64_t messages_ = 0;
};

}  // namespace sotto::privacy
