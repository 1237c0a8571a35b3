#include "fed/dp_sum.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/assert.h"
#include "base/secret_stream.h"
#include "privacy/dp/exact_noise.h"

namespace sotto::fed {

namespace {

SecretStream noise_stream(const DpSumPlan& plan, std::uint32_t round, std::uint64_t device) {
  return SecretStream(simulated_key(plan.seed, ("noise " + plan.release).c_str(), round, device));
}

std::int64_t draw_noise(ExactNoise<SecretStream>& noise, const DpSumPlan& plan, std::uint64_t variance) {
  return plan.kind == NoiseKind::laplace ? noise.laplace(plan.scale) : noise.gaussian(variance);
}

Status check_noise_size(const DpSumPlan& plan) {
  if (plan.kind == NoiseKind::choice) return fail(Code::usage, "the noise of a sum is Gaussian or Laplace");
  const bool laplace = plan.kind == NoiseKind::laplace;
  if ((laplace ? plan.scale : plan.variance) == 0)
    return fail(Code::usage, "noise of no variance hides nobody");
  if (laplace ? plan.scale > most_scale : plan.variance > most_variance)
    return fail(Code::usage,
                "so much noise does not fit the integers of the sum: lower the clip, or fixed-bits");
  // Noise is planned for a length: another one would bound another change.
  if ((plan.clip.length == ClipLength::absolute) != laplace)
    return fail(Code::usage,
                "Laplace noise is for a clip of absolute values, Gaussian noise for a Euclidean one");
  return Done{};
}

}  // namespace

Result<DpPlace> parse_dp_place(const std::string& text) {
  for (const DpPlace place : {DpPlace::central, DpPlace::distributed, DpPlace::local})
    if (text == to_string(place)) return place;
  return fail(Code::usage,
              fmt::format("noise is added central, distributed or local; '{}' is none of them", text));
}

const char* to_string(DpPlace place) {
  switch (place) {
    case DpPlace::central:
      return "central";
    case DpPlace::distributed:
      return "distributed";
    case DpPlace::local:
      break;
  }
  return "local";
}

Status check(const DpSumPlan& plan) {
  SOTTO_TRY_DONE(check(plan.clip));
  if (!std::isfinite(plan.clip.whole))
    return fail(Code::usage, "without a clip of the whole contribution no noise hides a person");
  SOTTO_TRY_DONE(check_noise_size(plan));
  if (plan.kind == NoiseKind::laplace && plan.place == DpPlace::distributed)
    return fail(Code::usage,
                "shares of Laplace noise do not add up to Laplace noise: add it central or local, or take "
                "Gaussian noise, whose shares do");
  if (!(plan.survivors > 0.0 && plan.survivors <= 1.0))
    return fail(Code::usage,
                fmt::format("the share of devices that stay, {}, does not lie in (0, 1]", plan.survivors));
  if (plan.place == DpPlace::distributed && !(plan.corrupt >= 0.0 && plan.corrupt < plan.survivors))
    return fail(Code::usage,
                fmt::format("{} of the devices stay and {} may be corrupt, so that no honest share of the "
                            "noise is sure: raise --dp-survivors, or lower --secure-corrupt",
                            plan.survivors, plan.corrupt));
  return Done{};
}

std::size_t counted_shares(const DpSumPlan& plan, std::size_t devices) {
  const auto all = static_cast<double>(devices);
  const double honest = std::floor(plan.survivors * all) - std::floor(plan.corrupt * all);
  return static_cast<std::size_t>(std::max(honest, 1.0));
}

DpSumPlan dp_sum_plan(const NoiseSize& size) {
  const double whole = std::floor(size.clip * size.unit);
  DpSumPlan plan;
  plan.clip.whole = whole;
  plan.kind = size.kind;
  if (size.kind == NoiseKind::laplace) {
    const double scale = std::ceil(size.noise * (whole + 2.0));
    plan.clip.length = ClipLength::absolute;
    plan.scale = scale < 1e18 ? static_cast<std::uint64_t>(scale) : ~std::uint64_t{0};
    return plan;
  }
  const double variance = std::ceil(std::pow(size.noise * whole, 2.0));
  // Beyond 10^18 it is refused anyhow, if only it fits.
  plan.variance = variance < 1e18 ? static_cast<std::uint64_t>(variance) : ~std::uint64_t{0};
  return plan;
}

std::uint64_t shared_variance(std::uint64_t variance, std::size_t staying) {
  const std::uint64_t count = std::max<std::size_t>(staying, 1);
  return (variance + count - 1) / count;
}

DpSum::DpSum(SumShape shape, const DpSumPlan& plan, Charge charge, Collector& next)
    : shape_(shape), plan_(plan), charge_(std::move(charge)), next_(next) {
  SOTTO_ASSERT(check(plan).ok(), "the plan was checked");
}

Status DpSum::begin(const RoundPlace& place) {
  round_ = place.round;
  accepted_ = 0;
  first_device_ = place.cohort.empty() ? 0 : place.cohort.front().value;
  const double staying = std::floor(plan_.survivors * static_cast<double>(place.cohort.size()));
  const bool shares = plan_.place == DpPlace::distributed;
  needed_ = shares ? std::max<std::size_t>(static_cast<std::size_t>(staying), 1) : 0;
  device_variance_ = plan_.variance;
  if (shares) device_variance_ = shared_variance(plan_.variance, counted_shares(plan_, place.cohort.size()));
  return next_.begin(place);
}

void DpSum::cover(UserIndex user, Contribution& contribution) const {
  ContributionEdit edit(contribution);
  edit.fill(0, static_cast<std::uint32_t>(shape_.rows));
  SecretStream bits = noise_stream(plan_, round_, user.value);
  ExactNoise noise(bits);
  for (std::size_t n = 0; n < contribution.size(); ++n)
    for (std::int32_t& value : edit.values(n))
      value = static_cast<std::int32_t>(std::clamp<std::int64_t>(
          value + draw_noise(noise, plan_, device_variance_), -fixed_limit, fixed_limit));
}

Status DpSum::accept(UserIndex user, Contribution& contribution) {
  ContributionEdit(contribution).clip(plan_.clip);
  if (plan_.place != DpPlace::central) cover(user, contribution);
  SOTTO_TRY_DONE(next_.accept(user, contribution));
  ++accepted_;
  return Done{};
}

void DpSum::add_central_noise(Aggregator& total) const {
  // Two sums of one round have different first devices, and so noise of their own.
  SecretStream bits = noise_stream(plan_, round_, ~first_device_);
  ExactNoise noise(bits);
  std::vector<std::int64_t> row(shape_.width);
  for (std::uint32_t n = 0; n < shape_.rows; ++n) {
    for (std::int64_t& value : row) value = draw_noise(noise, plan_, plan_.variance);
    total.add_total(n, row.data());
  }
}

Result<Traffic> DpSum::finish(Aggregator& total) {
  SOTTO_TRY_DONE(enough(accepted_));  // before anything is paid for
  SOTTO_TRY_DONE(charge_(round_));
  if (plan_.place == DpPlace::distributed) return finish_shares(total);
  SOTTO_TRY(const Traffic traffic, next_.finish(total));
  if (plan_.place == DpPlace::central) add_central_noise(total);
  return traffic;
}

Result<Traffic> DpSum::finish_shares(Aggregator& total) {
  SumSpace space(shape_.rows, shape_.width);
  Aggregator sum(space);
  SOTTO_TRY(const Traffic traffic, next_.finish(sum));
  SOTTO_TRY_DONE(enough(traffic.devices));
  total.merge(std::move(sum));
  return traffic;
}

Status DpSum::enough(std::uint64_t devices) const {
  if (devices >= needed_) return Done{};
  return fail(Code::bad_input,
              fmt::format("round {}: {} devices gave their share of the noise and {} are needed; nothing was "
                          "released",
                          round_ + 1, devices, needed_));
}

}  // namespace sotto::fed
