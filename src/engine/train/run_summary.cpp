#include "engine/train/run_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sotto::engine {

std::string wrong_field(const nlohmann::json& json) {
  const auto lacks = [&json](const char* name, auto is_right) {
    const auto found = json.find(name);
    return found == json.end() || !is_right(*found);
  };
  const auto is_text = [](const nlohmann::json& value) { return value.is_string(); };
  const auto is_count = [](const nlohmann::json& value) { return value.is_number_unsigned(); };
  const auto is_amount = [](const nlohmann::json& value) {
    return value.is_number() && value.get<double>() >= 0.0;
  };
  const auto are_metrics = [](const nlohmann::json& values) {
    return values.is_object() && std::ranges::all_of(values, [](const nlohmann::json& value) {
             return value.is_number() || value.is_null();  // null: not defined on this data
           });
  };
  for (const char* name : {"version", "model", "model_hash", "split_hash"})
    if (lacks(name, is_text)) return name;
  for (const char* name : {"seed", "users", "items", "train_interactions", "validation_interactions",
                           "test_interactions", "users_without_training", "users_without_test",
                           "judged_users", "triples", "rounds", "exchanges", "bytes_up", "bytes_down"})
    if (lacks(name, is_count)) return name;
  for (const char* name : {"seconds", "triples_per_second"})
    if (lacks(name, is_amount)) return name;
  if (lacks("metrics", are_metrics)) return "metrics";
  if (json.contains("best_epoch") && lacks("best_epoch", is_count)) return "best_epoch";
  if (!json.contains("variant")) return "";
  for (const char* name : {"cohort", "triples_per_visit", "rounds_per_epoch"})
    if (lacks(name, is_count)) return name;
  return lacks("variant", is_text) ? "variant" : "";
}

}  // namespace sotto::engine
