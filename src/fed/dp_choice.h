// DpChoice: a collector that releases which of several candidates people think best, and nothing else of what
// they said. Each device says a whole number from 0 to `most` of each candidate; the sums go on to `next`,
// and one candidate is chosen with P(k) ∝ e^(ε · sum_k / most) (privacy/dp/choice.h).
//
// Laws: one person changes each sum by at most `most`, and somebody more lowers none: a contribution that
// says anything else is refused. The choice is charged before it is made; where the charge is refused,
// nothing is released. What finish() adds is 1 at the place of the chosen candidate. Whoever sums is trusted
// with the sums, or the sum is secure. The same seed and release make the same choice of the same sums; a
// deployment takes its keys from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fed/dp_sum.h"

namespace sotto::fed {

struct DpChoicePlan {
  std::size_t candidates = 2;
  double epsilon = 1.0;
  std::uint32_t most = 1;  // what a device says of one
  std::string release;     // a name, as in DpSumPlan
  std::uint64_t seed = 1;
};
// Between these ε / most is a fraction of whole numbers, hardly below it.
inline constexpr double least_choice_epsilon = 1e-3, most_choice_epsilon = 100.0;
inline constexpr std::uint32_t most_said = 100;
[[nodiscard]] Status check(const DpChoicePlan& plan);

class DpChoice final : public Collector {
 public:
  // `next` outlives it. The plan is checked. Numbers lie as in privacy/number_rows.h.
  DpChoice(const DpChoicePlan& plan, DpSum::Charge charge, Collector& next);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  [[nodiscard]] std::size_t choose(Aggregator&& sum) const;

  DpChoicePlan plan_;
  DpSum::Charge charge_;
  Collector& next_;
  std::uint32_t round_ = 0;
};

}  // namespace sotto::fed
