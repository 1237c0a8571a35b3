// DeviceHistories: what the devices of a federation train a recommender on, if each person is asked first.
//
// Three views of one person's history: that there is one, which the server knows (`asked`); what may be
// trained on for others (`trainable`, ConsentBook::shareable); and what of it a device speaks of in a round
// (`spoken`), which consent may draw anew each time. Law: spoken is a part of trainable, which is a part of
// asked. This one is everybody's who keeps nothing back; privacy/consented_histories.h knows people's terms.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/histories.h"

namespace sotto::model {

class DeviceHistories {
 public:
  explicit DeviceHistories(const Histories& all) : DeviceHistories(all, all) {}
  DeviceHistories(const DeviceHistories&) = delete;
  DeviceHistories& operator=(const DeviceHistories&) = delete;
  virtual ~DeviceHistories() = default;

  [[nodiscard]] const Histories& asked() const { return asked_; }
  [[nodiscard]] const Histories& trainable() const { return trainable_; }
  // Ascending. The same whoever asks, and however often.
  [[nodiscard]] virtual std::vector<ItemIndex> spoken(std::uint32_t /*round*/, UserIndex user) const {
    const auto items = trainable_.of(user);
    return {items.begin(), items.end()};
  }

 protected:
  DeviceHistories(Histories asked, Histories trainable)
      : asked_(std::move(asked)), trainable_(std::move(trainable)) {}

 private:
  Histories asked_, trainable_;
};

}  // namespace sotto::model
