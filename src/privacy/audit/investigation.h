// Investigation: a transcript, the truth, and how near the attackers come to it.
//
// Some people are attacked. Of half of them the attacker knows the history (its own accounts, friends, a
// leak): it learns there how much each kind of evidence is worth beside popularity (privacy/audit/blend.h);
// where reading the evidence itself must be learnt, every second of them teaches that and nothing else.
// The other half is judged. Each attacker is judged twice: on its evidence alone, and informed, with the
// prior. The truth is people's histories; where the question is which features somebody cares about, it is
// their profiles, features in place of items. Laws: the truth of the judged reaches no attacker, but for the
// popularity that everybody knows; the same transcript, people and seed give the same figures for any number
// of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/histories.h"
#include "data/item_features.h"
#include "privacy/audit/attack.h"
#include "privacy/audit/leak_figures.h"
#include "privacy/audit/linker.h"

namespace sotto::privacy {

struct InvestigationOptions {
  std::uint32_t people = 400;  // that are attacked, known and judged; 0: everybody
  std::vector<Attacker> attackers{every_attacker.begin(), every_attacker.end()};
  AttackLimits limits = {};
  std::uint64_t seed = 1;
  Question question = Question::items;  // about features: of a transcript of KGFlex
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
  // `truth` outlives it and has the head's users and its items, or features. At least four people can be
  // attacked. `features`: what everybody knows about the items, of a transcript of KGFlex; outlive it.
  [[nodiscard]] static Result<Investigation> open(const TranscriptHead& head, const Histories& truth,
                                                  const InvestigationOptions& options,
                                                  const ItemFeatures* features = nullptr);

  void observe(SeenRound& round, Executor& executor);
  // How far everyone has come; A0 is always first.
  [[nodiscard]] std::vector<Findings> findings(Executor& executor);
  // Of each judged person's history (or profile): the share whose own update was seen in a single message.
  [[nodiscard]] std::vector<double> sent_shares() const;

  [[nodiscard]] std::size_t known() const { return teachers_.size() + known_.size(); }
  [[nodiscard]] std::size_t judged() const { return judged_.size(); }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

 private:
  Investigation(const TranscriptHead& head, const Histories& truth, const InvestigationOptions& options,
                std::size_t things, const std::vector<UserIndex>& known, std::unique_ptr<Witness> witness);

  [[nodiscard]] Findings of(Attacker attacker) const;
  [[nodiscard]] std::vector<Attacker> weighed_by_shadow() const;
  // The prior, then the evidence of each kind less its mean over the targets; one set a target.
  [[nodiscard]] std::vector<std::vector<std::vector<float>>> columns(std::span<const Attacker> kinds) const;
  [[nodiscard]] std::span<const ItemIndex> truth_of(std::size_t target) const {
    return truth_->of(witness_->targets()[target]);
  }

  const Histories* truth_;
  InvestigationOptions options_;
  SeenModel model_;
  bool shuffled_;
  Linker linker_;
  std::unique_ptr<Witness> witness_;
  std::vector<float> prior_;
  std::vector<std::size_t> teachers_, known_, judged_;  // places among the targets
  std::uint64_t rounds_ = 0;
};

}  // namespace sotto::privacy
