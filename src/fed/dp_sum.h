// DpSum: a collector that makes a round's sum differentially private for each person as a whole.
//
// On the device a contribution is clipped (per row, and whole); then noise of the discrete Gaussian, or of
// the discrete Laplace, joins it:
//   central      once, on the sum: whoever sums must be trusted with it, or the sum be secure
//   distributed  a share by each device, so that the shares of as many honest ones as stay make up the noise:
//                the sum is never seen without it. Single messages carry little: the sum must be secure, and
//                one
//   local        each device the whole noise: nobody need be trusted
// Laplace noise is for lengths that are sums of absolute values, and never distributed: shares of it do not
// add up to it.
// Laws: noise lies on every number of the sum, touched or not; a release is charged before it happens, and
// where the charge is refused, or more devices are lost than the noise was planned for, nothing is released.
// The same seed and release give the same noise; a deployment takes its keys from the system.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fed/collector.h"
#include "privacy/contribution_edit.h"
#include "privacy/dp/rdp.h"

namespace sotto::fed {

enum class DpPlace : std::uint8_t { central, distributed, local };
[[nodiscard]] Result<DpPlace> parse_dp_place(const std::string& text);
[[nodiscard]] const char* to_string(DpPlace place);

struct DpSumPlan {
  DpPlace place = DpPlace::central;
  ClipLimits clip;  // `whole` is finite
  NoiseKind kind = NoiseKind::gaussian;
  std::uint64_t variance = 0;  // Gaussian, on the sum (local: on each contribution), in squared units
  std::uint64_t scale = 0;     // Laplace, likewise, in units
  double survivors = 1.0;      // distributed: the share of a round's devices that will stay at least
  double corrupt = 0.0;        // distributed: the share that knows its own noise, or adds none; they all stay
  std::string release;         // a name: no two releases of one seed, or of other data, have the same noise
  std::uint64_t seed = 1;
};
[[nodiscard]] Status check(const DpSumPlan& plan);

// How much noise, in a model's own units.
struct NoiseSize {
  double clip = 1.0;   // greatest length of a whole contribution
  double noise = 1.0;  // its deviation (Laplace: its scale), in multiples of the clip
  double unit = 1.0;   // what 1 is in the sum's integers
  NoiseKind kind = NoiseKind::gaussian;
};
// Clip and noise of a plan in whole units: the clip is rounded down, variance or scale up. The scale is that
// of a clip of two units more, which makes up for whole numbers (privacy/dp/laplace.h).
[[nodiscard]] DpSumPlan dp_sum_plan(const NoiseSize& size);

// What each device adds so that `staying` of them make up the variance: rounded up.
[[nodiscard]] std::uint64_t shared_variance(std::uint64_t variance, std::size_t staying);

// The shares that count of so many devices: of those that stay at least, the honest ones; a person's own in
// any case.
[[nodiscard]] std::size_t counted_shares(const DpSumPlan& plan, std::size_t devices);

class DpSum final : public Collector {
 public:
  // Asked before each release, with its round. Where it fails, the release does not happen.
  using Charge = std::function<Status(std::uint32_t round)>;

  // `next` outlives it. The plan is checked.
  DpSum(SumShape shape, const DpSumPlan& plan, Charge charge, Collector& next);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  // Fills the contribution up and adds noise to all of it.
  void cover(UserIndex user, Contribution& contribution) const;
  void add_central_noise(Aggregator& total) const;
  // Who stays shows only in the sum: it is released when that is known.
  [[nodiscard]] Result<Traffic> finish_shares(Aggregator& total);
  // Whether so many devices make up the noise.
  [[nodiscard]] Status enough(std::uint64_t devices) const;

  SumShape shape_;
  DpSumPlan plan_;
  Charge charge_;
  Collector& next_;
  std::uint32_t round_ = 0;
  std::size_t needed_ = 0;  // devices without which the noise would not suffice
  std::size_t accepted_ = 0;
  std::uint64_t first_device_ = 0;
  std::uint64_t device_variance_ = 0;
};

}  // namespace sotto::fed
