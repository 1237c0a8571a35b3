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
  explicit DeviceHistories(const Histories& all) : DeviceHistories(all, all, Whose::everybodys) {}
  DeviceHistories(const DeviceHistories&) = delete;
  DeviceHistories& operator=(const DeviceHistories&) = delete;
  virtual ~DeviceHistories() = default;

  [[nodiscard]] const Histories& asked() const { return asked_; }
  [[nodiscard]] const Histories& trainable() const { return trainable_; }
  // Whose history it is in the views: a device that knows itself alone draws by its own number, and has the
  // one history there is.
  [[nodiscard]] UserIndex place_of(UserIndex device) const { return alone_ ? UserIndex{0} : device; }
  // Ascending. The same whoever asks, and however often.
  [[nodiscard]] virtual std::vector<ItemIndex> spoken(std::uint32_t /*round*/, UserIndex device) const {
    const auto items = trainable_.of(place_of(device));
    return {items.begin(), items.end()};
  }

 protected:
  enum class Whose : bool { everybodys, one_devices };
  DeviceHistories(Histories asked, Histories trainable, Whose whose)
      : asked_(std::move(asked)), trainable_(std::move(trainable)), alone_(whose == Whose::one_devices) {}

 private:
  Histories asked_, trainable_;
  bool alone_;
};

}  // namespace sotto::model
