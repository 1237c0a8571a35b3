// The part of an audit about criteria: what their numbers tell of people, with a plain sum and with a secure
// one. Beside the attackers, whose messages are weighed as in the plan.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/protect/weighing.h"
#include "lab/report/page.h"
#include "privacy/audit/criteria_leak.h"

namespace sotto::lab {

// More rounds say little more, and cost memory.
inline constexpr std::size_t most_told_rounds = 32;

// The plan's weights before `next`; what devices tell in the first rounds is written into `told`. Both
// outlive it.
[[nodiscard]] Result<std::unique_ptr<Weighing>> listening_weighing(const TrainRequest& train,
                                                                   const Split& split,
                                                                   std::vector<ToldRound>& told,
                                                                   Collector& next);

// What the request's criteria told.
[[nodiscard]] Result<CriteriaLeak> leak_of(const TrainRequest& train, const std::vector<ToldRound>& told);

// `order` as in the plan: the names of the leak's criteria.
[[nodiscard]] std::string leak_text(const CriteriaLeak& leak, const std::string& order);
[[nodiscard]] nlohmann::json leak_json(const CriteriaLeak& leak, const std::string& order);
[[nodiscard]] PageSection leak_section(const CriteriaLeak& leak, const std::string& order);

}  // namespace sotto::lab
