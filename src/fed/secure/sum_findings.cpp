#include "fed/secure/sum_findings.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sotto::fed {

SumVerdict judge(const SumFindings& findings, const SumTerms& terms) {
  SumVerdict verdict{findings.proven, DeviceSet(terms.devices), std::vector<std::uint32_t>(terms.devices, 0)};
  const auto open = [&](const SumFindings::Dispute& one) {
    return !findings.proven.has(one.dealer) && !findings.proven.has(one.holder);
  };
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;  // two may dispute both ways
  for (const SumFindings::Dispute& one : findings.disputes)
    if (open(one)) pairs.insert(std::minmax(one.dealer, one.holder));
  std::vector<std::uint32_t> opponents(terms.devices, 0);
  for (const auto& [one, other] : pairs) ++opponents[one], ++opponents[other];
  // As many corrupt neighbours as the terms reckon with; where they reckon with none, one word is no proof.
  const std::uint32_t most = std::max(terms.threshold + 1 - terms.crowd, 1u);
  for (std::uint32_t device = 0; device < terms.devices; ++device)
    if (opponents[device] > most) verdict.named.insert(device);
  for (const auto& [one, other] : pairs)
    if (!verdict.named.has(one) && !verdict.named.has(other)) {
      verdict.suspected.insert(one);
      verdict.suspected.insert(other);
      ++verdict.opponents[one], ++verdict.opponents[other];
    }
  return verdict;
}

}  // namespace sotto::fed
