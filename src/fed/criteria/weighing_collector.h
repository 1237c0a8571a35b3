// WeighingCollector: devices count by criteria (thesis ch. 5). It stands on the devices' side of the chain,
// right after consent, and serves every model whose contributions add up.
//
// A round, as devices and server go through it:
//   1. each device sends what it measured, one number in [0, 1] a criterion; the cohort's sum comes back
//   2. each device divides by it (Σ_u c_iu = 1), scores itself and sends the score; the cohort's sum comes
//   back
//   3. its weight is score / mean score of the cohort; it multiplies its own contribution by it
// Both sums go the way that contributions go: under a secure sum nobody sees a single criterion or score. Who
// keeps a criterion back adds nothing to its sum and counts as the mean of those who tell it.
// Where some may keep back, a sum of its own comes first, of who tells what: a sum of criteria would else be
// one person's number where one person tells. A criterion that fewer than `least_tellers` tell is not
// measured in this round: nobody sends it, and all have 1/n of it.
// Laws: weights are ≥ 0 and their mean is 1; sums being integers, a plain and a secure sum give the same
// weights and the same model, bit for bit; no sum of a criterion is of fewer than `least_tellers` people, but
// where everybody tells and the cohort is smaller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fed/collector.h"
#include "fed/criteria/weighing.h"
#include "fed/number_sum.h"

namespace sotto::fed {

// What weighing came to over its rounds: of all people together, never of one.
struct WeighingTally {
  std::uint32_t rounds = 0;
  double least = 0.0, most = 0.0;  // weights; with no round: none
  std::uint32_t least_tellers = 0;
  std::map<std::string, std::uint32_t> left_alone = {};  // by criterion: rounds in which too few told it
};

// Makes the collector for one of the small sums: of the criteria, of the scores and, where some may keep
// back, of who tells; in this order.
using SumMaker = std::function<std::unique_ptr<Collector>(SumShape shape)>;

class WeighingCollector final : public Collector {
 public:
  // All outlive it but the options.
  WeighingCollector(CriteriaOptions options, const FactsSource& facts, UpdateExtent extent, SumMaker sums,
                    Collector& next);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

  // From the next round on: another order of priority.
  void set_order(CriteriaOrder order);
  // Of the last round, in the cohort's order; for tests and for the page of the run. They never leave.
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  // Of all rounds that this collector weighed.
  [[nodiscard]] const WeighingTally& tally() const { return tally_; }

 private:
  [[nodiscard]] bool looks_at_updates() const { return fed::looks_at_updates(options_.order); }
  void make_sums();
  // Measures the criteria of the device at a place of the cohort.
  [[nodiscard]] Status measure(std::size_t place, const DeviceFacts& facts);
  [[nodiscard]] std::span<const std::int32_t> values_of(std::size_t place) const {
    return std::span(measured_).subspan(place * options_.order.size(), options_.order.size());
  }
  // The small sums; fills weights_.
  [[nodiscard]] Status weigh();
  // Forgets what was measured of criteria that too few tell.
  [[nodiscard]] Status drop_what_few_tell();
  // What everybody adds up, as `numbers(place)` gives it: `count` integers, whose sums all hear.
  template <class Numbers>
  [[nodiscard]] Result<std::vector<std::int64_t>> sum_up(Collector& sum, std::size_t count,
                                                         const Numbers& numbers);
  void count_round();
  // Multiplies the contribution by the weight and hands it on.
  [[nodiscard]] Status pass_on(std::size_t place, Contribution& contribution);

  CriteriaOptions options_;
  const FactsSource& facts_;
  UpdateExtent extent_;
  SumMaker maker_;
  Collector& next_;
  std::unique_ptr<Collector> values_, scores_;  // the two small sums
  std::unique_ptr<Collector> tellers_;          // the one before them; none where everybody tells
  std::uint32_t round_ = 0;
  std::vector<UserIndex> cohort_;
  std::vector<std::int32_t> measured_;  // of each device, one a criterion; `kept_back` where it is not told
  std::vector<double> weights_;
  WeighingTally tally_;
  std::size_t arrived_ = 0;
  std::vector<Contribution> held_;  // where criteria look at updates: until all have arrived
  Traffic small_;                   // of the small sums
};

}  // namespace sotto::fed
