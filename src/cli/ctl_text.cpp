#include "cli/ctl_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/terminal/table.h"
#include "fed/models/task_models.h"

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
  if (const Json refused = device.value("refused", Json(0)); refused != 0)  // older coordinators do not say
    text = fmt::format("contributions refused {}", cell(refused));
  for (const char* what : {"named", "disputes", "doubts"})
    if (sums[what] != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, cell(sums[what]));
  if (!sums["kept_out"].get<bool>()) return text;
  return fmt::format("{}{}kept out until {}", text, text.empty() ? "" : ", ",
                     time_of(sums, "kept_out_until_ms"));
}

std::string share_of_trial(const Json& trial) {
  return fmt::format("{:g}%", 100.0 * trial["share"].get<double>());
}

bool is_open(const Json& version) { return version.contains("trial") && version["trial"]["state"] == "open"; }

// "open, 10%".
std::string trial_of(const Json& version) {
  if (!version.contains("trial")) return "";
  const Json& trial = version["trial"];
  return is_open(version) ? fmt::format("open, {}", share_of_trial(trial)) : cell(trial["state"]);
}

// What an operator does about a version on trial.
std::string trial_line(const Json& task, const Json& version) {
  if (!is_open(version)) return "";
  const Json& trial = version["trial"];
  return fmt::format(
      "\nVersion {0} is on trial with {1} of the devices; all others keep version {2}, and no round opens.\n"
      "  give it to all:  sotto ctl promote --task {3}\n"
      "  take it back:    sotto ctl release --task {3} --version {2}\n",
      cell(version["version"]), share_of_trial(trial), cell(trial["stable"]), cell(task));
}

// How far chance may have moved the figures of the newest version that was tried and of the one that others
// kept; empty: none was judged beside another.
std::string intervals_of(const Json& versions) {
  const auto tried = std::ranges::find_if(versions, [](const Json& one) {
    return one.contains("evaluation") && one.contains("beside") && one["beside"].contains("intervals");
  });
  if (tried == versions.end()) return "";
  std::string lines;
  const auto range = [](const Json& of) {
    return fmt::format("{:.4f} to {:.4f}", of[0].get<double>(), of[1].get<double>());
  };
  const Json own = (*tried)["evaluation"].value("intervals", Json::object()),
             kept = (*tried)["beside"]["intervals"];
  for (const auto& [name, of] : own.items())
    if (kept.contains(name)) lines += fmt::format("  {:<8} {}   {}\n", name, range(of), range(kept[name]));
  if (lines.empty()) return "";
  return fmt::format("\nWhere about 95 of 100 such groups of people would lie, version {} and {}:\n{}",
                     cell((*tried)["version"]), cell((*tried)["trial"]["stable"]), lines);
}

// How good the versions are that were judged, newest first, and each metric's way, oldest first;
// empty: none was. A version on trial stands beside the one that others kept meanwhile.
std::string figures_of(const Json& versions, const Console& console) {
  std::vector<const Json*> judged;
  for (const Json& one : versions)
    if (one.contains("evaluation") || one.contains("beside")) judged.push_back(&one);
  if (judged.empty()) return "";
  std::vector<std::string> names;  // of all, as where nobody had ratings held out there are no errors
  bool shown = false;
  const auto add_names = [&](const Json& figures) {
    shown = shown || figures.contains("coverage");
    for (const auto& [name, value] : figures["metrics"].items())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Json* one : judged)
    for (const char* figures : {"evaluation", "beside"})
      if (one->contains(figures)) add_names((*one)[figures]);
  std::vector<TableColumn> columns{{"version", Align::right, Tone::strong}, {"people", Align::right}};
  for (const std::string& name : names) columns.push_back({name, Align::right});
  if (shown) columns.push_back({"items shown", Align::right});
  Table table(columns);
  std::map<std::string, std::vector<double>> curves;
  const auto row = [&](const std::string& version, const Json& figures) {
    const Json& metrics = figures["metrics"];
    std::vector<std::string> cells{version, cell(figures["people"])};
    for (const std::string& name : names)
      cells.push_back(metrics.contains(name) ? fmt::format("{:.4f}", metrics[name].get<double>()) : "");
    if (shown) cells.push_back(figures.contains("coverage") ? cell(figures["coverage"]["items"]) : "");
    table.row(cells);
  };
  for (const Json* one : judged) {
    const bool tried = one->contains("beside");
    if (one->contains("evaluation")) {
      const Json& evaluation = (*one)["evaluation"];
      row(cell((*one)["version"]) + (tried ? " tried" : ""), evaluation);
      for (const auto& [name, value] : evaluation["metrics"].items())
        curves[name].insert(curves[name].begin(), value.get<double>());
    }
    if (tried) row(cell((*one)["trial"]["stable"]) + " kept", (*one)["beside"]);
  }
  std::string lines;
  for (const std::string& name : names)
    if (const std::vector<double>& curve = curves[name]; curve.size() > 1)
      lines += fmt::format("  {:<8} {:.4f} {} {:.4f}\n", name, curve.front(), sparkline(curve), curve.back());
  return "\nAs people's devices judged them, in the mean:\n" + table.text(console) +
         (lines.empty() ? "" : "\n" + lines) + intervals_of(versions);
}

// What is to be said of a task beside its line.
std::string about_task(const Json& one) {
  std::string text;
  if (one.contains("why"))
    text += fmt::format("\n{} is {}: {}\n", cell(one["task"]), cell(one["state"]), cell(one["why"]));
  if (one.contains("privacy"))
    text += fmt::format("\nOf the privacy of {} ε {:.2f} of {:g} is spent.\n", cell(one["task"]),
                        one["privacy"]["spent"].get<double>(), one["privacy"]["epsilon"].get<double>());
  return text + trial_line(one["task"], one["newest"]);
}

// Enough to tell one from another; --json has the whole.
std::string short_hash(const Json& hash) { return hash.get<std::string>().substr(0, 12); }

}  // namespace

std::string status_text(const Json& answer, const Console& console) {
  std::string unread;
  for (const Json& task : answer.value("unread", Json::array()))
    unread +=
        fmt::format("\n{} waits until the store can be read; the log says why it cannot.\n", cell(task));
  return fmt::format("{} devices ({} revoked), {} exchanges since the start, {} under way{}\n\n{}{}",
                     cell(answer["devices"]), cell(answer["revoked"]), cell(answer["exchanges"]),
                     cell(answer["assignments"]), answer["stopping"].get<bool>() ? "; stopping" : "",
                     task_table(answer["tasks"], console), unread);
}

std::string task_table(const Json& tasks, const Console& console) {
  Table table({{"task", Align::left, Tone::strong, true},
               {"state", Align::left, Tone::plain, true},
               {"model", Align::left, Tone::plain, true},
               {"sum", Align::left, Tone::plain, true},
               {"version", Align::right},
               {"round", Align::right},
               {"given", Align::right},
               {"goal (quorum)", Align::right}});
  std::string more;
  for (const Json& one : tasks) {
    const bool open = one.contains("open");
    table.row({cell(one["task"]), cell(one["state"]), cell(one["model"]), cell(one["sum"]),
               cell(one["newest"]["version"]), open ? cell(one["open"]["round"]) : "",
               open ? cell(one["open"]["contributions"]) : "",
               fmt::format("{} ({})", cell(one["goal"]), cell(one["quorum"]))});
    more += about_task(one);
  }
  return table.text(console) + more;
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
  const bool tried = std::ranges::any_of(versions, [](const Json& one) { return one.contains("trial"); });
  std::vector<TableColumn> columns{{"version", Align::right, Tone::strong},
                                   {"made by", Align::right},
                                   {"contributions", Align::right},
                                   {"released", Align::left},
                                   {"model", Align::left}};
  if (tried) columns.push_back({"trial", Align::left});
  Table table(columns);
  for (const Json& one : versions) {
    std::vector<std::string> cells{cell(one["version"]), origin_of(one), cell(one["contributions"]),
                                   time_of(one, "time_ms"), short_hash(one["model_hash"])};
    if (tried) cells.push_back(trial_of(one));
    table.row(cells);
  }
  return table.text(console) + figures_of(versions, console);
}

std::string device_table(const Json& devices, const Console& console) {
  constexpr std::size_t room_for_all = 92;
  const bool has_room = console.width() >= room_for_all;  // --json says when each enrolled
  std::vector<TableColumn> columns{{"device", Align::left, Tone::strong, true},
                                   {"number", Align::right},
                                   {"state", Align::left},
                                   {"last seen", Align::left}};
  if (has_room) columns.push_back({"enrolled", Align::left});
  Table table(columns);
  for (const Json& one : devices) {
    std::vector<std::string> cells{cell(one["device"]), cell(one["index"]),
                                   one["revoked"].get<bool>() ? "revoked" : "enrolled",
                                   time_of(one, "last_seen_ms")};
    if (has_room) cells.push_back(time_of(one, "enrolled_ms"));
    table.row(cells);
  }
  std::string sums;
  for (const Json& one : devices)
    if (const std::string conduct = conduct_text(one); !conduct.empty())
      sums += fmt::format("  {}  {}\n", cell(one["device"]), conduct);
  return table.text(console) + (sums.empty() ? "" : "\nIn sums:\n" + sums);
}

Result<std::string> model_table(const RowMatrix& rows, const Task& task, const IdTable& names,
                                bool has_factors) {
  SOTTO_TRY(const std::vector<std::uint32_t> items, items_of_rows(task, rows));
  const bool of_items = !items.empty();
  const std::size_t front = of_items && rows.rows() != task.items ? 1 : 0;  // the item's number
  std::string text = of_items ? "item" : "row";
  for (std::size_t k = front; k < rows.width(); ++k)
    text += has_factors && k + 1 == rows.width() ? "\tbias" : fmt::format("\tq{}", k - front);
  text += '\n';
  for (std::uint32_t row = 0; row < rows.rows(); ++row) {
    const std::uint32_t number = of_items ? items[row] : row;
    text += of_items && names.size() > 0 ? std::string(names.name(number)) : fmt::format("{}", number);
    for (const float value : rows.values(row).subspan(front)) text += fmt::format("\t{}", value);
    text += '\n';
  }
  return text;
}

}  // namespace sotto::cli
