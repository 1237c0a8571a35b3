// Rounds and outcomes of federated averaging as JSON: a line a round, a document a run.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/averaging/averaging_run.h"

namespace sotto::engine {

// The accuracies that rounds are counted to, in percent.
inline constexpr std::array<std::uint32_t, 5> accuracy_targets{70, 80, 85, 90, 95};

// A round as a checkpoint has it: a line of JSON without its end. The same round gives the same line, but for
// the seconds of choosing an order, which rounds.jsonl leaves out.
[[nodiscard]] std::string round_line(const AveragingRound& round);
[[nodiscard]] Result<AveragingRound> round_from_line(const std::string& line, const std::string& name);

// What `sotto train --json` prints of the run beside what every run has.
[[nodiscard]] nlohmann::json outcome_json(const AveragingRequest& request, const AveragingOutcome& outcome);

// Ones and zeros as hexadecimal digits, four a digit, the first one highest; zeros fill the last digit.
[[nodiscard]] std::string bits_text(std::span<const std::uint8_t> ones);
[[nodiscard]] Result<std::vector<std::uint8_t>> bits_from_text(const std::string& text, std::size_t count);

}  // namespace sotto::engine
