// What a device gives the models of its tasks: the person's items as a history of one user, and what is known
// beside them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/contexts.h"
#include "data/examples/examples.h"
#include "data/histories.h"
#include "data/item_features.h"
#include "data/records.h"
#include "model/averaging/device_histories.h"

namespace sotto::fed {

// What is known beside the items of a history, in the types of a split whose one user is the device.
struct DeviceKnowledge {
  // In `train`, one entry an item of `consumed`; null: nothing was recorded. Ratings are there where every
  // item has one; a time that is not known is no_time.
  std::shared_ptr<const Records> records = nullptr;
  // Of the task's items, as the operator knows them; and the vocabulary of contexts, in which `train` has the
  // values of the records. Null: the task brought none.
  std::shared_ptr<const ItemFeatures> features = nullptr;
  std::shared_ptr<const Contexts> contexts = nullptr;
  // Of a task that learns from examples (TaskModel::examples): one an item of `consumed`, in its order.
  std::shared_ptr<const Examples> examples = nullptr;
  // One an item, "Action|Comedy"; empty: the task brought none. The catalogue outlives whoever looks.
  std::span<const std::string> categories = {};
  // Of the task's rounds the last that the device answered.
  std::optional<std::uint32_t> last_round = {};
};

// Labelled examples as a task takes them.
struct ExampleForm {
  std::string collection;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
};

// Where a device's random streams begin: the plan's seed and its index in a reproducible task, else a seed
// that it drew itself and keeps.
struct DeviceStreams {
  std::uint64_t seed = 1;
  UserIndex index;
};

// Histories of one user, the device. They and the task, whose consent is the person's, outlive the model.
struct DeviceHistory {
  const Histories& consumed;
  const Histories& shareable;
  DeviceKnowledge known = {};
};

// The places in `all` of `some` of them; both ascend.
[[nodiscard]] inline std::vector<std::uint32_t> places_of(std::span<const ItemIndex> some,
                                                          std::span<const ItemIndex> all) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < all.size() && places.size() < some.size(); ++place)
    if (all[place] == some[places.size()]) places.push_back(place);
  return places;
}

// Where the examples stand that the person lets out in a round. None: the device stays out of it.
[[nodiscard]] inline Result<Dealt> dealt_in(const DeviceHistories& histories, std::uint32_t round,
                                            UserIndex device) {
  const std::vector<ItemIndex> spoken = histories.spoken(round, device);
  if (spoken.empty())
    return fail(Code::incompatible, "none of the person's examples takes part in this round");
  return Dealt::of_one({.train = places_of(spoken, histories.asked().items()), .validation = {}, .test = {}});
}

}  // namespace sotto::fed
