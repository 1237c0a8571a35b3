// What chapter 5 of the thesis prints: rounds until many devices are served well (tables 5.1, 5.3 and 5.5)
// and whose mistakes a setting shares with the baseline (5.2, 5.4 and 5.6). Numbers only.
//
// Laws: a number that is lost in the copies at hand is NaN and means "no print"; a row of gains that is
// complete has the printed average.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/device_accuracy.h"

namespace sotto {

// How examples are dealt in the chapter's three experiments; datasets of the targets.
inline constexpr std::string_view mnist_iid = "MNIST, IID";
inline constexpr std::string_view mnist_shards = "MNIST, two shards each";
inline constexpr std::string_view celeba_people = "CelebA attributes";

inline constexpr std::string_view averaging_baseline = "DS";

// The nine settings: criteria alone, the baseline first, then their six orders. Written "DS>LD>MW".
[[nodiscard]] std::span<const std::string_view> averaging_settings(std::string_view dataset);
// The accuracies that are printed, in percent.
[[nodiscard]] std::span<const std::uint32_t> printed_targets(std::string_view dataset);

// Of 10%, 20% … 90% of the devices: rounds of the baseline, gains of the others.
struct PrintedRounds {
  std::array<double, 9> shares;
  double average;  // of gains
};
[[nodiscard]] std::optional<PrintedRounds> printed_rounds(std::string_view dataset, std::string_view setting,
                                                          std::uint32_t accuracy);

[[nodiscard]] std::optional<Confusion> printed_confusion(std::string_view dataset, std::string_view setting);

}  // namespace sotto
