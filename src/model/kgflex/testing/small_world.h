// A small world for tests of KGFlex: people, items and their features, drawn at random; the draws depend on
// the seed alone.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "data/histories.h"
#include "data/item_features.h"
#include "model/kgflex/kgflex.h"

namespace sotto::model {

struct SmallWorldShape {
  std::uint32_t users = 12, items = 30, features = 25;
  std::uint32_t history = 5;     // items a person, about
  std::uint32_t of_an_item = 4;  // features an item, at most; some items have none
};

class SmallWorld {
 public:
  explicit SmallWorld(std::uint64_t seed, const SmallWorldShape& shape = {}) : shape_(shape) {
    Stream draws(seed, Purpose::generate_world, 77);
    FeatureList list;
    IdTable items;
    for (std::uint32_t item = 0; item < shape.items; ++item) {
      const std::string name = "item" + std::to_string(item);
      items.intern(name);
      const std::uint32_t row = list.items.intern(name);
      for (std::uint32_t n = draws.below(shape.of_an_item + 1); n > 0; --n) {
        const std::uint32_t feature = draws.below(shape.features);
        const std::uint32_t predicate = list.intern_predicate(feature % 3 == 0 ? "made by~born in" : "is");
        list.facts.push_back({row, predicate, list.objects.intern("o" + std::to_string(feature))});
      }
    }
    list.settle();
    features = std::make_shared<const ItemFeatures>(list, items, FeatureFilter{.min_items = 1});
    std::vector<std::uint64_t> ends{0};
    std::vector<ItemIndex> consumed;
    for (std::uint32_t user = 0; user < shape.users; ++user) {
      std::vector<ItemIndex> own;
      for (std::uint32_t n = 1 + draws.below(2 * shape.history - 1); n > 0; --n)
        own.push_back({draws.below(shape.items)});
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      consumed.insert(consumed.end(), own.begin(), own.end());
      ends.push_back(consumed.size());
    }
    histories = Histories(std::move(ends), std::move(consumed));
  }

  [[nodiscard]] std::size_t catalogue() const { return shape_.items; }
  [[nodiscard]] std::shared_ptr<const KgflexDevices> devices(const ProfileOptions& options = {},
                                                             const KeepsBack& keeps_back = {}) const {
    SerialExecutor serial;
    return std::make_shared<const KgflexDevices>(features, histories, catalogue(), options, keeps_back,
                                                 serial);
  }

  std::shared_ptr<const ItemFeatures> features;
  Histories histories;

 private:
  SmallWorldShape shape_;
};

}  // namespace sotto::model
