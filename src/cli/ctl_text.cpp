#include "cli/ctl_text.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_unsigned() || value.is_number_integer() ? human_count(value.get<std::uint64_t>())
                                                                 : value.dump();
}

std::string time_of(const Json& one, const char* key) {
  const std::int64_t ms = one.value(key, std::int64_t{0});
  return ms == 0 ? "" : human_time(ms / 1000);
}

// What made a version.
std::string origin_of(const Json& version) {
  if (version.contains("again")) return fmt::format("version {}", cell(version["again"]));
  return version["version"] == 0 ? "" : fmt::format("round {}", cell(version["round"]));
}

// What sums showed about a device.
std::string conduct_text(const Json& device) {
  if (!device.contains("secure_sums")) return "";
  const Json& sums = device["secure_sums"];
  std::string text;
  if (device["refused"] != 0) text = fmt::format("contributions refused {}", cell(device["refused"]));
  for (const char* what : {"named", "disputes", "doubts"})
    if (sums[what] != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, cell(sums[what]));
  if (!sums["kept_out"].get<bool>()) return text;
  return fmt::format("{}{}kept out until {}", text, text.empty() ? "" : ", ",
                     time_of(sums, "kept_out_until_ms"));
}

// How good the lists of the versions are that were judged, newest first, and each metric's way, oldest first;
// empty: none was.
std::string figures_of(const Json& versions, const Console& console) {
  std::vector<const Json*> judged;
  for (const Json& one : versions)
    if (one.contains("evaluation")) judged.push_back(&one);
  if (judged.empty()) return "";
  const Json& names = (*judged.front())["evaluation"]["metrics"];
  std::vector<TableColumn> columns{{"version", Align::right, Tone::strong}, {"people", Align::right}};
  for (const auto& [name, value] : names.items()) columns.push_back({name, Align::right});
  columns.push_back({"items shown", Align::right});
  Table table(columns);
  std::map<std::string, std::vector<double>> curves;
  for (const Json* one : judged) {
    const Json& figures = (*one)["evaluation"];
    std::vector<std::string> row{cell((*one)["version"]), cell(figures["people"])};
    for (const auto& [name, value] : names.items()) {
      const double mean = figures["metrics"].value(name, 0.0);
      row.push_back(fmt::format("{:.4f}", mean));
      curves[name].insert(curves[name].begin(), mean);
    }
    row.push_back(figures.contains("coverage") ? cell(figures["coverage"]["items"]) : "");
    table.row(row);
  }
  std::string text = "\nAs people's devices judged them, in the mean:\n" + table.text(console);
  if (judged.size() < 2) return text;
  text += "\n";
  for (const auto& [name, value] : names.items())
    text += fmt::format("  {:<8} {:.4f} {} {:.4f}\n", name, curves[name].front(), sparkline(curves[name]),
                        curves[name].back());
  return text;
}

}  // namespace

std::string status_text(const Json& answer, const Console& console) {
  return fmt::format("{} devices ({} revoked), {} exchanges since the start, {} under way{}\n\n{}",
                     cell(answer["devices"]), cell(answer["revoked"]), cell(answer["exchanges"]),
                     cell(answer["assignments"]), answer["stopping"].get<bool>() ? "; stopping" : "",
                     task_table(answer["tasks"], console));
}

std::string task_table(const Json& tasks, const Console& console) {
  Table table({{"task", Align::left, Tone::strong},
               {"state", Align::left},
               {"sum", Align::left},
               {"version", Align::right},
               {"round", Align::right},
               {"contributions", Align::right},
               {"goal (quorum)", Align::right},
               {"privacy", Align::left},
               {"model", Align::left}});
  for (const Json& one : tasks) {
    const Json& newest = one["newest"];
    std::string privacy = "none";
    if (one.contains("privacy"))
      privacy = fmt::format("ε {:.2f} of {:g}", one["privacy"]["spent"].get<double>(),
                            one["privacy"]["epsilon"].get<double>());
    const bool open = one.contains("open");
    table.row(
        {cell(one["task"]), cell(one["state"]), cell(one["sum"]), cell(newest["version"]),
         open ? cell(one["open"]["round"]) : "", open ? cell(one["open"]["contributions"]) : "",
         fmt::format("{} ({})", cell(one["goal"]), cell(one["quorum"])), privacy,
         fmt::format("{} {}", cell(one["model"]), newest["model_hash"].get<std::string>().substr(0, 16))});
  }
  return table.text(console);
}

std::string round_table(const Json& rounds, const Console& console) {
  Table table({{"round", Align::right, Tone::strong},
               {"state", Align::left},
               {"opened", Align::left},
               {"seconds", Align::right},
               {"assigned", Align::right},
               {"contributions", Align::right}});
  std::string reasons;
  for (const Json& one : rounds) {
    const auto opened = one["opened_ms"].get<std::int64_t>(), closed = one["closed_ms"].get<std::int64_t>();
    table.row({cell(one["round"]), cell(one["state"]), time_of(one, "opened_ms"),
               closed == 0 ? "" : fmt::format("{:.1f}", static_cast<double>(closed - opened) / 1000.0),
               cell(one["assigned"]), cell(one["contributions"])});
    if (const std::string why = one.value("why", std::string()); !why.empty())
      reasons += fmt::format("  round {}: {}\n", cell(one["round"]), why);
  }
  return table.text(console) + (reasons.empty() ? "" : "\nWhy rounds released no model:\n" + reasons);
}

std::string version_table(const Json& versions, const Console& console) {
  Table table({{"version", Align::right, Tone::strong},
               {"made by", Align::right},
               {"contributions", Align::right},
               {"released", Align::left},
               {"model", Align::left}});
  for (const Json& one : versions)
    table.row({cell(one["version"]), origin_of(one), cell(one["contributions"]), time_of(one, "time_ms"),
               cell(one["model_hash"])});
  return table.text(console) + figures_of(versions, console);
}

std::string device_table(const Json& devices, const Console& console) {
  Table table({{"device", Align::left, Tone::strong},
               {"number", Align::right},
               {"state", Align::left},
               {"enrolled", Align::left},
               {"last seen", Align::left}});
  for (const Json& one : devices)
    table.row({cell(one["device"]), cell(one["index"]), one["revoked"].get<bool>() ? "revoked" : "enrolled",
               time_of(one, "enrolled_ms"), time_of(one, "last_seen_ms")});
  std::string sums;
  for (const Json& one : devices)
    if (const std::string conduct = conduct_text(one); !conduct.empty())
      sums += fmt::format("  {}  {}\n", cell(one["device"]), conduct);
  return table.text(console) + (sums.empty() ? "" : "\nIn secure sums:\n" + sums);
}

}  // namespace sotto::cli
