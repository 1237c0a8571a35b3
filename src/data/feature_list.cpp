#include "data/feature_list.h"

#include <algorithm>

namespace sotto::data {

std::uint32_t FeatureList::intern_predicate(std::string_view chain, std::uint8_t hops_if_known) {
  const std::uint32_t index = predicates.intern(chain);
  if (index == hops.size()) {
    const auto counted = static_cast<std::uint8_t>(
        1 + std::min<std::ptrdiff_t>(std::count(chain.begin(), chain.end(), chain_separator), 254));
    hops.push_back(hops_if_known != 0 ? hops_if_known : counted);
  }
  return index;
}

void FeatureList::settle() {
  std::sort(facts.begin(), facts.end());
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
}

}  // namespace sotto::data
