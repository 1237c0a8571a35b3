// A poisoning study for readers: as JSON, and as a page with a table and charts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/poison/poison_study.h"
#include "lab/report/page.h"

namespace sotto::lab {

[[nodiscard]] nlohmann::json to_json(const PoisonOutcome& outcome, const Split& split);

// "row clip 1, at least 118 contributors a row".
[[nodiscard]] std::string defence_text(const RobustOptions& defence);

// How much of the clean hit rate is gone: 0.03 is three percent less.
[[nodiscard]] double hit_rate_loss(const PoisonOutcome& outcome, const PoisonFigures& figures);

[[nodiscard]] Page poison_page(const PoisonOutcome& outcome, const Split& split, const std::string& command);

}  // namespace sotto::lab
