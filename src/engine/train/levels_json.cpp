#include "engine/train/levels_json.h"

#include <nlohmann/json.hpp>

#include "metrics/accuracy.h"

namespace sotto::engine {

nlohmann::json levels_json(const DrawnLevels& levels, const PerUser& judged) {
  nlohmann::json json = nlohmann::json::array();
  for (std::size_t level = 0; level < levels.names.size(); ++level) {
    std::vector<double> sums(judged.names.size(), 0.0);
    std::size_t people = 0;
    for (std::size_t row = 0; row < judged.users.size(); ++row) {
      if (levels.of_user[judged.users[row].value] != level) continue;
      ++people;
      for (std::size_t column = 0; column < sums.size(); ++column) sums[column] += judged.at(row, column);
    }
    nlohmann::json metrics = nlohmann::json::object();
    for (std::size_t column = 0; column < sums.size() && people > 0; ++column)
      metrics[judged.names[column]] = sums[column] / static_cast<double>(people);
    for (auto& [name, value] : metrics.items())  // of this level's own means: users' parts are of everybody's
      if (const std::string base = "F1means"; name.starts_with(base)) {
        const std::string at = name.substr(base.size());
        value = f1_of(metrics["P" + at], metrics["R" + at]);
      }
    json.push_back({{"level", levels.names[level]}, {"people", people}, {"metrics", std::move(metrics)}});
  }
  return json;
}

}  // namespace sotto::engine
