#include "cli/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/averaging_text.h"
#include "cli/level_text.h"
#include "engine/plan/model_entry.h"
#include "metrics/metric_name.h"

namespace sotto::cli {

namespace {

std::size_t place_of(const std::string& name) {
  const auto all = all_metrics();
  return static_cast<std::size_t>(std::ranges::find(all, name, &MetricFacts::base) - all.begin());
}

double number(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0.0;
}

std::string count(const nlohmann::json& json, const char* key) {
  return human_count(static_cast<std::uint64_t>(number(json, key)));
}

std::string word(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "?";
}

// What a step of training is of. The key is "triples" for all.
const char* unit_of(const std::string& model) {
  const auto entry = find_model(model);
  return entry.ok() ? (*entry)->step.c_str() : "steps";
}

std::string cost_text(const nlohmann::json& summary) {
  const double triples = number(summary, "triples");
  std::string text = human_seconds(number(summary, "seconds"));
  if (triples > 0.0)
    text += fmt::format(" for {} {}, {} per second", human_number(triples), unit_of(word(summary, "model")),
                        human_number(number(summary, "triples_per_second")));
  return text;
}

std::string model_text(const nlohmann::json& summary) {
  const std::string model = word(summary, "model");
  if (summary.contains("variant"))
    return fmt::format("{}, {}: cohorts of {}, {} triples per visit, {} rounds", model,
                       word(summary, "variant"), count(summary, "cohort"),
                       count(summary, "triples_per_visit"), count(summary, "rounds"));
  if (!summary.contains("cohort")) return model;
  std::string text =
      fmt::format("{}: cohorts of {}, {} rounds", model, count(summary, "cohort"), count(summary, "rounds"));
  if (summary.contains("local_epochs"))
    text += fmt::format(", local epochs {}, {} parameters", count(summary, "local_epochs"),
                        count(summary, "parameters"));
  return text;
}

std::string privacy_text(const nlohmann::json& summary) {
  std::string text =
      fmt::format("epsilon {:.4g} at delta {:g}", number(summary, "epsilon"), number(summary, "delta"));
  const bool laplace = summary.contains("epsilon_without_delta");
  if (laplace) text += fmt::format(" ({:.4g} without delta)", number(summary, "epsilon_without_delta"));
  return text +
         fmt::format(", {}noise {:.4g} times the clip", laplace ? "Laplace " : "", number(summary, "noise"));
}

// By what devices counted, and where it had no effect.
void add_criteria_facts(const nlohmann::json& summary, Table& facts) {
  const auto criteria = summary.find("criteria");
  if (criteria == summary.end()) return;
  std::string text = fmt::format("{} ({})", word(*criteria, "order"), word(*criteria, "score"));
  if (const auto weights = criteria->find("weights"); weights != criteria->end())
    text += fmt::format("; weights {:.2f} to {:.2f}", number(*weights, "least"), number(*weights, "most"));
  facts.row({"criteria", text});
  const auto left = criteria->find("left_alone");
  if (left == criteria->end()) return;
  for (const auto& [name, rounds] : left->items())
    facts.row({"", fmt::format("{} was left out in {} of {} rounds: fewer than {} people reported it", name,
                               count(*left, name.c_str()), count(*criteria, "rounds"),
                               count(*criteria, "least_tellers"))});
}

// What it was trained on, and judged by.
void add_data_facts(const nlohmann::json& summary, Table& facts) {
  if (summary.contains("classes")) {  // of a classifier that a coordinator released
    facts.row({"data", fmt::format("{} devices, {} training and {} test examples of {} classes",
                                   count(summary, "users"), count(summary, "train_interactions"),
                                   count(summary, "test_interactions"), count(summary, "classes"))});
    facts.row({"judged", fmt::format("{} devices; {} have no test examples", count(summary, "judged_users"),
                                     count(summary, "users_without_test"))});
    return;
  }
  facts.row({"data", fmt::format("{} users, {} items, {} training and {} test interactions",
                                 count(summary, "users"), count(summary, "items"),
                                 count(summary, "train_interactions"), count(summary, "test_interactions"))});
  if (summary.contains("features"))
    facts.row({"knowledge", fmt::format("{} features; {} items have none", count(summary, "features"),
                                        count(summary, "items_without_features"))});
  facts.row({"judged", fmt::format("{} users; {} have no test items, {} no training items",
                                   count(summary, "judged_users"), count(summary, "users_without_test"),
                                   count(summary, "users_without_training"))});
}

std::string traffic_text(const nlohmann::json& summary) {
  const double devices = std::max(number(summary, "users") - number(summary, "users_without_training"), 1.0);
  return fmt::format(
      "{} up and {} down per device, in {:.1f} exchanges", human_bytes(number(summary, "bytes_up") / devices),
      human_bytes(number(summary, "bytes_down") / devices), number(summary, "exchanges") / devices);
}

}  // namespace

std::string metric_cell(const std::string& name, const nlohmann::json& value) {
  if (!value.is_number()) return "n/a";
  const MetricFacts* facts = facts_of(name);
  if (facts != nullptr && facts->is_count) return human_count(value.get<std::uint64_t>());
  return metric_text(name, value.get<double>());
}

std::string metrics_text(const nlohmann::json& metrics, const Console& console) {
  std::map<std::pair<std::size_t, std::string>, std::map<std::uint32_t, nlohmann::json>> rows;
  std::set<std::uint32_t> cutoffs;
  std::string single;
  for (const auto& [key, value] : metrics.items()) {
    const std::size_t at = key.find('@');
    if (at == std::string::npos) {
      single += fmt::format("  {} {}", key, metric_cell(key, value));
      continue;
    }
    const std::string name = key.substr(0, at);
    const auto cutoff = static_cast<std::uint32_t>(std::strtoul(key.c_str() + at + 1, nullptr, 10));
    cutoffs.insert(cutoff);
    rows[{place_of(name), name}][cutoff] = value;
  }
  std::vector<TableColumn> columns{{"", Align::left, Tone::dim}};
  for (const std::uint32_t cutoff : cutoffs) columns.push_back({fmt::format("@{}", cutoff), Align::right});
  Table table(std::move(columns));
  for (const auto& [name, values] : rows) {
    std::vector<std::string> cells{name.second};
    for (const std::uint32_t cutoff : cutoffs)
      cells.push_back(values.contains(cutoff) ? metric_cell(name.second, values.at(cutoff)) : "");
    table.row(std::move(cells));
  }
  std::string text = table.text(console);
  if (!single.empty()) text += single + "\n";
  return text;
}

std::string summary_text(const nlohmann::json& summary, const Console& console) {
  if (summary.contains("rounds_until")) return averaging_text(summary, console);
  Table facts = fact_table();
  const bool federated = number(summary, "exchanges") > 0.0;
  facts.row({"model", model_text(summary)});
  add_data_facts(summary, facts);
  if (summary.contains("context_values"))
    facts.row({"contexts", fmt::format("{} values", count(summary, "context_values"))});
  if (summary.contains("learned_from_test"))
    facts.row(
        {"beware", "it learned from the part it is judged on (--query test): no measure of anything new"});
  if (summary.contains("average_last"))
    facts.row({"averaged", fmt::format("the mean of the models after the last {} epochs",
                                       count(summary, "average_last"))});
  if (summary.contains("best_epoch"))
    facts.row({"early stop", fmt::format("kept the model after epoch {}", count(summary, "best_epoch"))});
  if (summary.contains("epsilon")) facts.row({"privacy", privacy_text(summary)});
  if (const auto choice = summary.find("choice"); choice != summary.end())
    facts.row({"choice", fmt::format("lambda {:g}, chosen privately, by itself for epsilon {:.4g}",
                                     number(*choice, "lambda"), number(*choice, "epsilon"))});
  add_criteria_facts(summary, facts);
  if (summary.contains("held_rows"))
    facts.row({"limited", fmt::format("{} rows beyond ±{:g}, the sum's range: lower --fixed-bits",
                                      count(summary, "held_rows"), number(summary, "range"))});
  facts.row({"time", cost_text(summary)});
  if (federated) facts.row({"traffic", traffic_text(summary)});
  facts.row({"model hash", word(summary, "model_hash").substr(0, 16)});
  const auto metrics = summary.find("metrics");
  std::string text = facts.text(console);
  if (metrics != summary.end()) text += "\n" + metrics_text(*metrics, console);
  if (const auto levels = summary.find("levels"); levels != summary.end())
    text += "\nBy the level of consent that people drew:\n" + levels_text(*levels, console);
  return text;
}

std::string item_title(const Split& split, ItemIndex item) {
  if (!split.item_names.empty() && !split.item_names[item.value].empty()) return split.item_names[item.value];
  return std::string(split.items.name(item.value));
}

std::string item_category(const Split& split, ItemIndex item) {
  return split.item_categories.empty() ? "" : split.item_categories[item.value];
}

nlohmann::json item_json(const Split& split, ItemIndex item) {
  nlohmann::json json{{"item", std::string(split.items.name(item.value))}};
  if (!split.item_names.empty() && !split.item_names[item.value].empty())
    json["name"] = split.item_names[item.value];
  if (const std::string category = item_category(split, item); !category.empty()) json["category"] = category;
  return json;
}

}  // namespace sotto::cli
