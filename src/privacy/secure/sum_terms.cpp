#include "privacy/secure/sum_terms.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "privacy/secure/tails.h"

namespace sotto::privacy {

namespace {

struct Cohort {
  std::uint32_t devices = 0;
  std::uint32_t corrupt = 0;
  std::uint32_t dropped = 0;
};

std::uint32_t part_of(double share, std::uint32_t devices) {
  return static_cast<std::uint32_t>(std::floor(share * devices));
}

// Threshold and crowd at a degree, if they hold there.
bool set_threshold(SumTerms& terms, const Cohort& cohort, const SumAssumptions& assumed,
                   const DrawTails& tails) {
  const double devices = cohort.devices;
  const std::uint32_t others = cohort.devices - 1;
  const std::uint32_t corrupt =
      tails.most({others, cohort.corrupt, terms.degree}, assumed.leak / 3.0 / devices);
  const std::uint32_t dropped =
      tails.most({others, cohort.dropped, terms.degree}, assumed.abort / 2.0 / devices);
  if (dropped >= terms.degree) return false;
  terms.threshold = terms.degree - dropped;
  if (terms.threshold + 1 < corrupt + assumed.crowd || terms.threshold <= corrupt) return false;
  terms.crowd = terms.threshold + 1 - corrupt;
  if (terms.degree == others) return true;  // a complete graph has one piece
  const std::uint32_t gone = cohort.corrupt + cohort.dropped;
  return devices * tails.all_marked({cohort.devices, gone, terms.degree / 2}) <= assumed.leak / 3.0;
}

bool set_degree(SumTerms& terms, const Cohort& cohort, const SumAssumptions& assumed,
                const DrawTails& tails) {
  for (terms.degree = 2; terms.degree < cohort.devices - 1; terms.degree += 2)
    if (set_threshold(terms, cohort, assumed, tails)) return true;
  terms.degree = cohort.devices - 1;
  return set_threshold(terms, cohort, assumed, tails);
}

bool set_committee(SumTerms& terms, const Cohort& cohort, const SumAssumptions& assumed,
                   const DrawTails& tails) {
  for (terms.committee = 1; terms.committee <= cohort.devices; ++terms.committee) {
    const std::uint32_t size = terms.committee;
    const std::uint32_t corrupt = tails.most({cohort.devices, cohort.corrupt, size}, assumed.leak / 3.0);
    const std::uint32_t dropped = tails.most({cohort.devices, cohort.dropped, size}, assumed.abort / 2.0);
    terms.quorum = (size + corrupt) / 2 + 1;
    if (terms.quorum + dropped <= size) return true;
  }
  return false;
}

}  // namespace

Status check(const SumAssumptions& assumed) {
  const auto share = [](double value) { return value >= 0.0 && value < 1.0; };
  if (!share(assumed.corrupt) || !share(assumed.dropped))
    return fail(Code::usage, "the shares of corrupt and of dropped devices are in [0, 1)");
  const auto chance = [](double value) { return value >= 1e-30 && value < 1.0; };
  if (!chance(assumed.leak) || !chance(assumed.abort))
    return fail(Code::usage, "the chances that a secure sum leaks or fails are in [1e-30, 1)");
  if (assumed.crowd < 2) return fail(Code::usage, "the crowd of a secure sum is at least 2 devices");
  return Done{};
}

Result<SumTerms> sum_terms(std::uint32_t devices, const SumAssumptions& assumed) {
  SOTTO_TRY_DONE(check(assumed));
  if (devices < assumed.crowd || devices > most_sum_devices)
    return fail(Code::usage, fmt::format("secure sum refused: a cohort of {} devices; allowed are {} to {}",
                                         devices, assumed.crowd, most_sum_devices));
  const Cohort cohort{devices, part_of(assumed.corrupt, devices), part_of(assumed.dropped, devices)};
  const DrawTails tails(devices);
  SumTerms terms{.devices = devices, .least_survivors = devices - cohort.dropped};
  if (cohort.corrupt + cohort.dropped + assumed.crowd > devices ||
      !set_degree(terms, cohort, assumed, tails) || !set_committee(terms, cohort, assumed, tails))
    return fail(Code::usage,
                fmt::format("secure sum refused: no threshold among {} devices withstands {} corrupt and {} "
                            "dropped ones with {} left to hide among; take a larger cohort, or assume less",
                            devices, cohort.corrupt, cohort.dropped, assumed.crowd));
  return terms;
}

}  // namespace sotto::privacy
