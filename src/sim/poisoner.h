// Poisoner: malicious devices in a simulated federation of FPL, for measuring what defences hold.
//
// A Collector that stands where the devices are: it replaces what the malicious ones send by an attacker's
// message and passes all others on untouched. The attacker holds those devices alone and sees what they see:
// the shared model of every round that one of them takes part in, and the plan. It wants one item, the
// target, in everybody's list:
//   boost      raises the target's bias: the crude one.
//   pieck-ipe  makes the target's row like those of popular items, which are known by how much they have
//   moved
//              between rounds (Yuan et al. 2023, popular item embedding: its imitation).
//   pieck-uea  takes popular items' vectors for people's vectors and raises the score they give to the target
//              (the same paper: user embedding approximation).
//   random     the same for people whose vectors are drawn (A-ra of Rong et al. 2022).
//
// Laws: the same (seed, round, user) give the same messages; with no malicious devices nothing changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fixed_point.h"
#include "fed/collector.h"

namespace sotto::sim {

enum class PoisonAttack : std::uint8_t { boost, pieck_ipe, pieck_uea, random };
inline constexpr PoisonAttack all_attacks[] = {PoisonAttack::boost, PoisonAttack::pieck_ipe,
                                               PoisonAttack::pieck_uea, PoisonAttack::random};
[[nodiscard]] Result<PoisonAttack> parse_attack(const std::string& text);
[[nodiscard]] const char* to_string(PoisonAttack attack);

struct PoisonOptions {
  PoisonAttack attack = PoisonAttack::boost;
  ItemIndex target;
  std::vector<UserIndex> malicious;  // ascending
  double strength = 1.0;             // the length of one message; pieck-ipe has its own
  std::uint32_t popular = 20;        // as many items are taken for the popular ones
  double reach = 1.5;                // pieck-ipe: the target's length over the longest popular row's
  float learning_rate = 0.05f;       // the plan's, which devices know
  FixedPoint fixed;
  std::uint64_t seed = 1;
};

// Exactly `share` of the users, rounded, ascending: those whose devices are the attacker's.
[[nodiscard]] std::vector<UserIndex> draw_malicious(std::span<const UserIndex> users, double share,
                                                    std::uint64_t seed);

class Poisoner final : public Collector {
 public:
  // `next` gets what the devices send.
  Poisoner(Collector& next, PoisonOptions options) : next_(next), options_(std::move(options)) {}

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override { return next_.finish(total); }

 private:
  using Row = std::vector<double>;

  // Takes in a model that one of the devices received.
  void watch(const RowMatrix& shared);
  // The rows that have moved most, the most first; the target is none of them.
  [[nodiscard]] std::vector<std::uint32_t> popular_rows() const;
  // What the attacker wants added to the target's row, in the model's units.
  [[nodiscard]] Row imitation(const RowMatrix& shared) const;
  [[nodiscard]] Row approximation(const RowMatrix& shared) const;
  [[nodiscard]] Row made_up_person(UserIndex user, std::size_t width) const;
  [[nodiscard]] bool is_malicious(UserIndex user) const;
  // The row as the only one of the contribution.
  void put(const Row& row, Contribution& contribution) const;

  Collector& next_;
  PoisonOptions options_;
  RowMatrix seen_;             // the last model that was watched
  std::vector<double> moved_;  // of each row: the way it has gone
  Row message_;                // of this round, where it is the same for all devices
  bool watches_ = false;       // a device of the attacker's is in this round
};

}  // namespace sotto::sim
