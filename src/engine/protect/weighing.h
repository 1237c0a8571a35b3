// Criteria of a run: from a CriteriaRequest to the collector by which devices count more or less
// (fed/criteria/weighing_collector.h).
//
// It stands first in the chain, right after consent and behind the person's own ledger. The small sums are
// of the plan's kind, plain or secure, with masks of their own; a device that falls silent does so after
// them, and robust rules are for what is weighed.
// Laws: a plain and a secure sum give the same model; a training that is resumed goes on as if nothing had
// happened, because cohorts are known from the seed and devices remember when they took part.
// Refused: noise (the small sums carry none, and one person moves everybody's weight, so that no clip bounds
// what a person changes) and models whose contributions are no sums of what is learned (pair counts).
#pragma once

#include <memory>
#include <vector>

#include "engine/plan/model_entry.h"
#include "engine/protect/protection.h"
#include "fed/criteria/weighing_collector.h"

namespace sotto::engine {

// Fails where the criteria asked for cannot be.
[[nodiscard]] Status check_criteria(const TrainRequest& request);

// A collector that notes who took part in which round, for those who ask how long a device was away.
class Weighing : public Collector {
 public:
  // Rounds that a resumed training made before.
  virtual void count_before(std::uint32_t rounds) = 0;
  // Of the rounds that went through here: after a resume, those since then.
  [[nodiscard]] virtual const WeighingTally& tally() const = 0;
};

// The request has everybody's terms (with_people) and asks for criteria. `next` outlives it. The first
// `model_rows` rows of a contribution are a step of the model.
[[nodiscard]] Result<std::unique_ptr<Weighing>> make_weighing(const TrainRequest& request, const Split& split,
                                                              const Population& from, SumMaker sums,
                                                              Collector& next,
                                                              std::size_t model_rows = SIZE_MAX);

// Makes the small sums of a training, of the kind of its sum. Each has masks of its own, whichever copy of
// the maker makes it: a training has one.
[[nodiscard]] SumMaker small_sums(SumOptions options, std::uint64_t seed, Executor& executor);

// Puts it before the chain, if the request asks for criteria.
[[nodiscard]] Status put_weighing_before(Protection& protection, const TrainRequest& request,
                                         const Split& split, SumShape shape, const Population& from,
                                         Executor& executor, std::size_t model_rows = SIZE_MAX);

// What a person's ledger says of criteria: ", told size" or ", told no criteria"; nothing without criteria.
[[nodiscard]] std::string told_in_words(const TrainRequest& request, UserIndex user);

// Trust from text of lines "user<TAB>value", one number a user of the split, some of whom are in it; `name`
// is for the error texts, which never say who.
[[nodiscard]] Result<std::vector<double>> read_trust(const std::string& text, const std::string& name,
                                                     const IdTable& users);

}  // namespace sotto::engine
