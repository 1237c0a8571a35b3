// Examples in the hands of devices, seen as a split: what models learn from that look at labelled examples
// (data/examples/examples.h) and not at histories.
#pragma once

#include <memory>

#include "data/examples/examples.h"
#include "data/split.h"

namespace sotto::data {

struct DealtExamples {
  std::shared_ptr<const Examples> examples;  // may serve several deals
  Dealt dealt;
};

struct ExampleCounts {
  std::uint64_t train = 0, validation = 0, test = 0;
  std::uint64_t without_test = 0;  // devices
};
[[nodiscard]] ExampleCounts counts_of(const Dealt& dealt);

// Its users are the devices, by their numbers, with empty histories; its hash is of examples and hands.
[[nodiscard]] Split split_of(std::shared_ptr<const DealtExamples> dealt);
// So many devices without their examples.
[[nodiscard]] Split split_of_devices(std::size_t devices, std::string hash);

}  // namespace sotto::data
