// Differential privacy of a run: from a DpRequest to collectors that clip, add noise and are charged for it.
//
// Laws: noise that an ε asks for is calibrated over all releases of the run (RDP, everybody in every release:
// cohorts of a fixed size are no Poisson sample, so they earn nothing here); each release is charged to the
// run's own account, and to the budget file where one is given, before it happens; so is a choice, and noise
// is calibrated to what it leaves. A run that its budget file cannot pay for to the end is refused before it
// begins. In the account of a run that is resumed the rounds before it count too; the file has them already.
// Neighbours differ in one person's whole data, added or removed; local noise is charged for one person's
// data being any other. With Laplace noise lengths are sums of absolute values, and the ε without δ is told
// beside the other. The same run draws the same noise; other data, other terms of consent or another plan
// draw other noise, so that no noise goes away by subtraction. (Whoever knows the seed and the data knows the
// noise: a deployment takes its keys from the system.)
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/plan/request.h"
#include "engine/protect/budget_file.h"
#include "engine/protect/protection.h"
#include "fed/dp_sum.h"

namespace sotto::engine {

// Fails where what was asked for cannot be.
[[nodiscard]] Status check_dp(const TrainRequest& request);

// The request with the noise that so many releases need, drawn for these data. It has everybody's terms
// (with_people). Without privacy asked for: as it is.
[[nodiscard]] Result<TrainRequest> with_noise(const TrainRequest& request, std::uint64_t releases,
                                              const Split& split);

// What a release is charged by: local noise hides which of two contributions it was, so the clip counts
// twice.
[[nodiscard]] double charged_noise(const DpRequest& dp, double noise);

// The private choice of a λ, as a release; the request has candidates.
[[nodiscard]] NoisyReleases choice_release(const DpRequest& dp);

// Pays for the releases of one run.
class DpAccount {
 public:
  // The request has noise.
  [[nodiscard]] static Result<std::shared_ptr<DpAccount>> open(const TrainRequest& request);

  // One release now. `noise` in multiples of what one person changes; `kind` where it is not the run's.
  [[nodiscard]] Status charge(const std::string& release, double noise, std::optional<NoiseKind> kind = {});
  // Fails, and charges nothing, where the budget file, or the ε of the run itself, cannot pay for all of
  // these: a run that must end early is told before it costs anything.
  [[nodiscard]] Status can_pay(const std::vector<NoisyReleases>& planned) const;
  // The same of the file alone: rounds with noise of their own halt when their ε is spent.
  [[nodiscard]] Status file_can_pay(const std::vector<NoisyReleases>& planned) const;
  // So many that a resumed run made before: the file has them already.
  [[nodiscard]] Status count_before(const std::string& release, double noise, std::uint32_t times);
  [[nodiscard]] NoiseKind kind() const { return kind_; }
  [[nodiscard]] PrivacySpent spent() const;
  // The ε after one more.
  [[nodiscard]] double spent_with(const std::string& release, double noise,
                                  std::optional<NoiseKind> kind = {}) const;

 private:
  DpAccount(PrivacyBudget budget, double noise, NoiseKind kind)
      : budget_(std::move(budget)), noise_(noise), kind_(kind) {}
  [[nodiscard]] BudgetCharge charge_for(const std::string& release, double noise, std::uint32_t times,
                                        std::optional<NoiseKind> kind) const {
    return {.what = release, .releases = {noise, 1.0, times, kind.value_or(kind_)}};
  }

  PrivacyBudget budget_;
  double noise_;
  NoiseKind kind_;
  std::optional<BudgetFile> file_;
};

// One release of a run, told to put_dp_before().
struct DpRelease {
  std::string name;
  double noise = 1.0;  // multiples of the clip
  double unit = 1.0;   // what 1 is in the sum's integers
  std::uint64_t times = 1;
};

// Puts the noise before the collectors that are there, of which there is at least one.
[[nodiscard]] Status put_dp_before(Protection& protection, const TrainRequest& request, SumShape shape,
                                   const DpRelease& release, const std::shared_ptr<DpAccount>& account);

// Puts the choice of one of the request's λs there. The request has noise.
[[nodiscard]] Status put_choice_before(Protection& protection, const TrainRequest& request,
                                       const std::shared_ptr<DpAccount>& account);

// The same as put_dp_before() for a training in rounds, with an account of its own. The request has noise.
[[nodiscard]] Status put_noisy_rounds(Protection& protection, const TrainRequest& request, SumShape shape);

}  // namespace sotto::engine
