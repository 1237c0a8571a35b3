// What devices train a shared network on, as their people's consent says: an item is spoken of in a round
// where the ConsentGate of that round lets it out. What nobody may speak of does not enter the training, so
// nothing that is sent depends on it.
#pragma once

#include <memory>

#include "model/averaging/device_histories.h"
#include "privacy/consent.h"

namespace sotto::privacy {

class ConsentedHistories final : public DeviceHistories {
 public:
  ConsentedHistories(ConsentPolicy policy, const Histories& all, std::uint64_t seed)
      : ConsentedHistories(std::move(policy), all, seed, Whose::everybodys) {}
  // The history of a device that knows itself alone.
  [[nodiscard]] static std::unique_ptr<ConsentedHistories> of_one(const ConsentPolicy& policy,
                                                                  const Histories& own, std::uint64_t seed) {
    return std::unique_ptr<ConsentedHistories>(new ConsentedHistories(policy, own, seed, Whose::one_devices));
  }

  [[nodiscard]] std::vector<ItemIndex> spoken(std::uint32_t round, UserIndex device) const override {
    ConsentGate gate(policy_, seed_, round, device);
    std::vector<ItemIndex> items;
    for (const ItemIndex item : trainable().of(place_of(device)))
      if (gate.allows(Evidence::positive, item.value)) items.push_back(item);
    return items;
  }

 private:
  ConsentedHistories(ConsentPolicy policy, const Histories& all, std::uint64_t seed, Whose whose)
      : DeviceHistories(all, shareable(policy, all), whose), policy_(std::move(policy)), seed_(seed) {}

  ConsentPolicy policy_;
  std::uint64_t seed_;
};

}  // namespace sotto::privacy
