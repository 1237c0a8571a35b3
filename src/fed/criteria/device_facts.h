// What a device knows of itself, for criteria to be measured on it. It never leaves: what leaves is the
// measured criteria that its person lets out (fed/criteria/weighing_collector.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/ids.h"

namespace sotto::fed {

struct DeviceFacts {
  std::uint64_t records = 0;            // examples, interactions
  std::uint64_t most_records = 0;       // a bound that everybody knows; who has more counts as having so many
  std::vector<std::uint32_t> of_class;  // records of each class or category there is
  std::uint64_t marked = 0;             // records with the quality asked for, e.g. sharp pictures
  double rarity = 0.0;                  // mean over the records of 1 − popularity of their items, in [0, 1]
  std::uint32_t rounds_since = 0;       // since the device last took part; rounds so far where it never did
  double trust = 1.0;                   // as somebody the federation trusts says, in [0, 1]
  // Of what the device is about to send: how far its model went from the one received. Measured after
  // training.
  double distance = 0.0;        // ‖Θ − Θ_u‖
  double layer_distance = 0.0;  // the mean over the layers of ‖Θ − Θ_u‖ of each
};

class FactsSource {
 public:
  FactsSource() = default;
  FactsSource(const FactsSource&) = delete;
  FactsSource& operator=(const FactsSource&) = delete;
  virtual ~FactsSource() = default;

  // All but the distances, which only who sees the device's update knows.
  [[nodiscard]] virtual DeviceFacts of(UserIndex device) const = 0;
  // Whether the person lets the criterion of this name be measured.
  [[nodiscard]] virtual bool tells(UserIndex /*device*/, const char* /*criterion*/) const { return true; }
  // Whether it is known of everybody that they tell everything: then nobody has to count who does.
  [[nodiscard]] virtual bool everybody_tells() const { return true; }
};

}  // namespace sotto::fed
