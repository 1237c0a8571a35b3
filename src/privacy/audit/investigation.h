// Investigation: a transcript, the truth, and how near the attackers come to it.
//
// Some people are attacked. Of half of them the attacker knows the history (its own accounts, friends, a
// leak): it learns there how much each kind of evidence is worth beside popularity (privacy/audit/blend.h).
// The other half is judged. Each attacker is judged twice: on its evidence alone, and informed, with the
// prior. Laws: the histories of the judged reach no attacker, but for the popularity that everybody knows;
// the same transcript, people and seed give the same figures for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/histories.h"
#include "privacy/audit/attack.h"
#include "privacy/audit/leak_figures.h"
#include "privacy/audit/linker.h"

namespace sotto {

struct InvestigationOptions {
  std::uint32_t people = 400;  // that are attacked, known and judged; 0: everybody
  std::vector<Attacker> attackers{every_attacker.begin(), every_attacker.end()};
  AttackLimits limits = {};
  std::uint64_t seed = 1;
};

// One attacker's figures, one entry a judged person, in the same order for all.
struct Findings {
  Attacker attacker = Attacker::popularity;
  std::vector<LeakFigures> alone;
  std::vector<LeakFigures> informed;
  bool uses_evidence = false;  // it helped on those who are known
};

class Investigation {
 public:
  // `histories` outlive it and have the head's users and catalogue. At least four people can be attacked.
  [[nodiscard]] static Result<Investigation> open(const TranscriptHead& head, const Histories& histories,
                                                  const InvestigationOptions& options);

  void observe(SeenRound& round, Executor& executor);
  // How far everyone has come; A0 is always first.
  [[nodiscard]] std::vector<Findings> findings(Executor& executor) const;
  // Of each judged person's history: the share whose own update was seen, by A1's count.
  [[nodiscard]] std::vector<double> sent_shares() const;

  [[nodiscard]] std::size_t known() const { return known_.size(); }
  [[nodiscard]] std::size_t judged() const { return judged_.size(); }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

 private:
  Investigation(const TranscriptHead& head, const Histories& histories, const InvestigationOptions& options,
                std::vector<UserIndex> people);

  [[nodiscard]] Findings of(Attacker attacker) const;
  // The prior, then the evidence of each kind less its mean over the targets; one set a target.
  [[nodiscard]] std::vector<std::vector<std::vector<float>>> columns(std::span<const Attacker> kinds) const;
  [[nodiscard]] std::span<const ItemIndex> history(std::size_t target) const {
    return histories_->of(attack_.targets()[target]);
  }

  const Histories* histories_;
  InvestigationOptions options_;
  bool shuffled_;
  Linker linker_;
  Attack attack_;
  std::vector<float> prior_;
  std::vector<std::size_t> known_, judged_;  // places among the targets
  std::uint64_t rounds_ = 0;
};

}  // namespace sotto
