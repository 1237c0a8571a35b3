#include "privacy/secure/neighbour_graph.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "base/secret_stream.h"

namespace sotto::privacy {

namespace {

// Uniform below `bound`: draws above its largest multiple are thrown away.
std::uint32_t below(SecretStream& stream, std::uint32_t bound) {
  const std::uint64_t end = UINT64_MAX - UINT64_MAX % bound;
  for (;;)
    if (const std::uint64_t drawn = stream.next_u64(); drawn < end)
      return static_cast<std::uint32_t>(drawn % bound);
}

std::vector<std::uint32_t> shuffled(std::uint32_t count, SecretStream& stream) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t n = count; n > 1; --n) std::swap(order[n - 1], order[below(stream, n)]);
  return order;
}

}  // namespace

NeighbourGraph::NeighbourGraph(const SumTerms& terms, const Bytes32& beacon)
    : degree_(terms.degree), slots_(terms.devices) {
  SOTTO_ASSERT(degree_ + 1 == terms.devices || (degree_ % 2 == 0 && degree_ + 1 < terms.devices),
               "a circulant graph has an even degree or all pairs");
  SecretStream circle = open_stream(beacon, 0);
  members_ = shuffled(terms.devices, circle);
  for (std::uint32_t slot = 0; slot < terms.devices; ++slot) slots_[members_[slot]] = slot;
  SecretStream committee = open_stream(beacon, 1);
  committee_ = shuffled(terms.devices, committee);
  committee_.resize(terms.committee);
  std::sort(committee_.begin(), committee_.end());
}

std::vector<std::uint32_t> NeighbourGraph::neighbours(std::uint32_t device) const {
  std::vector<std::uint32_t> out;
  out.reserve(degree_);
  const std::uint32_t all = devices(), slot = slots_[device];
  if (degree_ + 1 == all) {
    for (std::uint32_t other = 0; other < all; ++other)
      if (other != device) out.push_back(other);
    return out;
  }
  for (std::uint32_t step = 1; step <= degree_ / 2; ++step) {
    out.push_back(members_[(slot + step) % all]);
    out.push_back(members_[(slot + all - step) % all]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace sotto::privacy
