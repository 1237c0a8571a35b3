// How good the lists of people are by the level of consent they drew, in runs with a mix of levels.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/plan/consent_request.h"
#include "metrics/evaluate.h"

namespace sotto::engine {

// [{"level": "closed", "people": 93, "metrics": {"P@10": …}}, …], means over the judged people of a level;
// one that nobody drew has no metrics.
[[nodiscard]] nlohmann::json levels_json(const DrawnLevels& levels, const PerUser& judged);

}  // namespace sotto::engine
