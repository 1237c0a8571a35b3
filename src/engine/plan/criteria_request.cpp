#include "engine/plan/criteria_request.h"

#include <algorithm>

namespace sotto::engine {

std::string criteria_setting(const std::map<std::string, std::string>& plan, const std::string& key) {
  const auto order = plan.find("criteria.order");
  const auto found = plan.find(key);
  if (key == "criteria.order") return order == plan.end() ? "no criteria" : "criteria " + order->second;
  if (order == plan.end()) return "";
  if (found == plan.end()) return key == "criteria.score" ? "score prioritized" : "";
  std::string name = key.substr(key.rfind('.') + 1);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name + " " + found->second;
}

}  // namespace sotto::engine
