#include "cli/averaging_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

constexpr std::size_t points_of_line = 60;

Table until_table(const nlohmann::json& summary) {
  std::vector<TableColumn> columns{{"accuracy", Align::right, Tone::dim}};
  for (int share = 10; share <= 90; share += 10) columns.push_back({fmt::format("{}%", share), Align::right});
  Table table(std::move(columns));
  for (const auto& row : summary.at("rounds_until")) {
    std::vector<std::string> cells{fmt::format("{}%", row.at("accuracy").get<int>())};
    for (const auto& round : row.at("rounds"))
      cells.push_back(round.is_null() ? "–" : human_count(round.get<std::uint64_t>()));
    table.row(std::move(cells));
  }
  return table;
}

// An order is one of priority; by another score it is a list.
std::string order_words(const nlohmann::json& summary) {
  std::string order = summary.at("order").get<std::string>();
  const std::string score = summary.value("score", "prioritized");
  if (score == "prioritized") return summary.contains("choosing") ? "at the end " + order : order;
  for (std::size_t at = order.find('>'); at != std::string::npos; at = order.find('>', at))
    order.replace(at, 1, ", ");
  return fmt::format("{} by {}", order, score);
}

void add_criteria_facts(const nlohmann::json& summary, Table& facts) {
  if (!summary.contains("order")) return;
  const auto& weights = summary.at("weights");
  facts.row({"criteria", fmt::format("{}; weights {:.2f} to {:.2f}, mean 1", order_words(summary),
                                     weights.at("least").get<double>(), weights.at("most").get<double>())});
  if (!summary.contains("choosing") || !summary.at("choosing").contains("orders")) return;
  std::string held;
  for (const auto& entry : summary.at("choosing").at("orders"))
    held += fmt::format("{}{} {}", held.empty() ? "" : ", ", entry.at("order").get<std::string>(),
                        human_count(entry.at("rounds").get<std::uint64_t>()));
  facts.row({"orders", "rounds per order: " + held});
}

void add_cost_facts(const nlohmann::json& summary, Table& facts) {
  facts.row({"sent", fmt::format("{} up, {} down", human_bytes(summary.at("bytes_up").get<double>()),
                                 human_bytes(summary.at("bytes_down").get<double>()))});
  facts.row({"time", human_seconds(summary.at("seconds").get<double>())});
  if (!summary.contains("choosing")) return;
  const auto& cost = summary.at("choosing");
  facts.row({"choosing",
             fmt::format("{} tries, {} changes; {} sums, {} up, {} down and {} more",
                         cost.at("tries").get<std::uint64_t>(), cost.at("changes").get<std::uint64_t>(),
                         cost.at("sums").get<std::uint64_t>(), human_bytes(cost.at("bytes_up").get<double>()),
                         human_bytes(cost.at("bytes_down").get<double>()),
                         human_seconds(cost.at("seconds").get<double>()))});
}

}  // namespace

std::string averaging_text(const nlohmann::json& summary, const Console& console) {
  Table facts = fact_table();
  facts.row({"model", fmt::format("{} parameters, {}…", human_count(summary.at("parameters")),
                                  summary.at("model_hash").get<std::string>().substr(0, 12))});
  facts.row(
      {"federation", fmt::format("{} devices, {} per round, {} rounds", human_count(summary.at("devices")),
                                 human_count(summary.at("cohort")), human_count(summary.at("rounds")))});
  add_criteria_facts(summary, facts);
  const auto& best = summary.at("best");
  std::vector<double> curve;
  for (const auto& look : summary.at("accuracy")) curve.push_back(look.at("accuracy").get<double>());
  if (!curve.empty()) {
    facts.row({"accuracy", fmt::format("{:.2f}% at the end, {:.2f}% at best (round {})", 100.0 * curve.back(),
                                       100.0 * best.at("accuracy").get<double>(),
                                       best.at("round").get<std::uint64_t>())});
    facts.row({"", sparkline(thinned(curve, points_of_line))});
  }
  if (summary.contains("until"))
    facts.row({"until", fmt::format("{}: {}", summary.at("until").get<std::string>(),
                                    summary.at("reached").get<bool>() ? "reached" : "not reached")});
  add_cost_facts(summary, facts);
  return facts.text(console) +
         "\nRounds until a share of the devices reaches an accuracy on its own test examples\n" +
         until_table(summary).text(console);
}

}  // namespace sotto::cli
