// What devices train a shared network on, as their people's consent says: an item is spoken of in a round
// where the ConsentGate of that round lets it out. What nobody may speak of does not enter the training, so
// nothing that is sent depends on it.
#pragma once

#include "model/averaging/device_histories.h"
#include "privacy/consent.h"

namespace sotto::privacy {

class ConsentedHistories final : public DeviceHistories {
 public:
  ConsentedHistories(ConsentPolicy policy, const Histories& all, std::uint64_t seed)
      : DeviceHistories(all, shareable(policy, all)), policy_(std::move(policy)), seed_(seed) {}

  [[nodiscard]] std::vector<ItemIndex> spoken(std::uint32_t round, UserIndex user) const override {
    ConsentGate gate(policy_, seed_, round, user);
    std::vector<ItemIndex> items;
    for (const ItemIndex item : trainable().of(user))
      if (gate.allows(Evidence::positive, item.value)) items.push_back(item);
    return items;
  }

 private:
  ConsentPolicy policy_;
  std::uint64_t seed_;
};

}  // namespace sotto::privacy
