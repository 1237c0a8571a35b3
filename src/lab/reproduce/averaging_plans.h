// The plans behind the targets of chapter 5, and the data they are of. The one place where they are changed.
#pragma once

#include <string_view>
#include <vector>

#include "data/examples/idx.h"
#include "lab/averaging/averaging_request.h"
#include "lab/reproduce/averaging_print.h"
#include "lab/reproduce/studies.h"

namespace sotto {

[[nodiscard]] std::vector<Target> averaging_targets();

[[nodiscard]] bool is_averaging_data(std::string_view name);
[[nodiscard]] Result<PaperData> find_averaging_data(std::string_view name, const DataFolder& folder);

// What pictures of digits must be for the numbers to stand beside the print.
[[nodiscard]] IdxOptions averaging_pictures();

// A setting of an experiment. Quick: a fifth of the devices with some of their examples and a small network.
[[nodiscard]] Result<AveragingRequest> averaging_request(const Target& target, const PaperData& data,
                                                         std::string_view setting, std::uint64_t seed,
                                                         Effort effort);
[[nodiscard]] std::uint32_t averaging_seeds(const Target& target, Effort effort);

// An estimate for one core.
[[nodiscard]] double averaging_core_seconds(const Target& target, const PaperData& data, Effort effort);

}  // namespace sotto
