// DpChoice: a collector that releases which of several candidates people think best, and nothing else of what
// they said. Each device says 0 or 1 of each candidate; the sums go on to `next`, and one candidate is chosen
// with P(k) ∝ e^(ε · sum_k) (privacy/dp/choice.h).
//
// Laws: one person changes each sum by at most 1, and somebody more lowers none: a contribution that says
// anything else is refused. The choice is charged before it is made; where the charge is refused, nothing is
// released. What finish() adds is 1 at the place of the chosen candidate. Whoever sums is trusted with the
// sums, or the sum is secure. The same seed and release make the same choice of the same sums; a deployment
// takes its keys from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fed/dp_sum.h"

namespace sotto {

struct DpChoicePlan {
  std::size_t candidates = 2;
  double epsilon = 1.0;
  std::string release;  // a name, as in DpSumPlan
  std::uint64_t seed = 1;
};
// Between these the rate is a fraction of whole numbers, at most 10⁻³ of it below ε.
inline constexpr double least_choice_epsilon = 1e-3, most_choice_epsilon = 100.0;
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

}  // namespace sotto
