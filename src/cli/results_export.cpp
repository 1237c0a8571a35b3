// sotto results export and curves: all that a results file holds, for other programs.
#include <fmt/format.h>

#include <cmath>

#include "cli/results.h"

namespace sotto::cli {

namespace {

using Json = nlohmann::ordered_json;

// What is no number has no JSON; null says so.
Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json curve_json(const std::vector<CurvePoint>& curve) {
  Json points = Json::array();
  for (const CurvePoint& point : curve)
    points.push_back({{"epoch", point.epoch},
                      {"loss", number(point.loss)},
                      {"validation", point.validation ? number(*point.validation) : Json(nullptr)},
                      {"triples", point.triples},
                      {"bytes_up", point.bytes_up},
                      {"bytes_down", point.bytes_down}});
  return points;
}

Json bias_json(const std::vector<CategoryBiasAt>& bias) {
  Json rows = Json::array();
  for (const CategoryBiasAt& at : bias)
    for (const CategoryBias& one : at.categories)
      rows.push_back({{"cutoff", at.cutoff},
                      {"category", one.category},
                      {"items", one.items},
                      {"source", number(one.source)},
                      {"recommended", number(one.recommended)},
                      {"disparity", number(one.disparity)}});
  return rows;
}

Json per_user_json(const PerUser& per_user) {
  Json users = Json::array();
  for (const UserIndex user : per_user.users) users.push_back(user.value);
  Json values = Json::object();
  for (const std::string& name : per_user.names) values[name] = per_user.column(name);
  return {{"users", users}, {"values", values}};
}

Json head_json(const StoredCell& cell, bool times) {
  const CellResult& result = cell.result;
  Json json{{"study", cell.place.study},
            {"dataset", cell.place.dataset},
            {"model", cell.place.model},
            {"phase", to_string(cell.place.phase)},
            {"settings", cell.place.settings},
            {"seed", cell.place.seed},
            {"status", result.done ? "done" : "failed"},
            {"reason", result.reason},
            {"key", cell.place.key},
            {"split_hash", result.split_hash},
            {"model_hash", result.model_hash},
            {"judged_users", result.judged_users},
            {"epochs", result.epochs},
            {"best_epoch", result.best_epoch ? Json(*result.best_epoch) : Json(nullptr)},
            {"rounds", result.totals.rounds},
            {"exchanges", result.totals.exchanges},
            {"triples", result.totals.triples},
            {"bytes_up", result.totals.bytes_up},
            {"bytes_down", result.totals.bytes_down},
            {"tcc_vectors", result.vectors ? number(*result.vectors) : Json(nullptr)}};
  if (times) json["seconds"] = result.seconds;
  return json;
}

Result<Json> cell_json(const ResultsFile& file, const StoredCell& cell, const ResultsOptions& options) {
  Json json = head_json(cell, options.times);
  json["metrics"] = Json::object();
  for (const Metric& metric : cell.result.metrics) json["metrics"][metric.name] = number(metric.value);
  json["plan"] = cell.result.request;
  SOTTO_TRY(const CellDetail detail, file.detail(cell.place.key));
  json["curve"] = curve_json(detail.curve);
  json["category_bias"] = bias_json(detail.category_bias);
  if (options.per_user) json["per_user"] = per_user_json(detail.per_user);
  if (!options.items) return json;
  SOTTO_TRY(const std::optional<SplitFacts> split, file.split(cell.result.split_hash));
  json["items"] = {{"popularity", split ? split->popularity : std::vector<std::uint32_t>()},
                   {"updates", detail.item_updates},
                   {"recommended", detail.item_recommended}};
  return json;
}

Status export_json(const ResultsFile& file, const std::vector<StoredCell>& cells,
                   const ResultsOptions& options, const Console& console) {
  std::string text = "[";
  for (const StoredCell& cell : cells) {
    SOTTO_TRY(const Json json, cell_json(file, cell, options));
    text += (text.size() == 1 ? "\n" : ",\n") + json.dump(1, ' ', false, Json::error_handler_t::replace);
  }
  return write_output(console, options.out, text + "\n]\n");
}

SheetCell plain_cell(const Json& value) {
  return {value, value.is_string() ? value.get<std::string>() : value.dump()};
}

}  // namespace

Status export_results(ResultsOptions& options, const Console& console) {
  SOTTO_TRY(const ResultsFile file, ResultsFile::open(options.file));
  SOTTO_TRY(const std::vector<StoredCell> cells, asked_cells(file, options));
  SOTTO_TRY(const SheetFormat format, parse_sheet_format(options.format));
  if (options.common.json || format == SheetFormat::json) return export_json(file, cells, options, console);
  if (options.per_user || options.items)
    return fail(Code::usage, "--per-user and --items do not fit into a table: add --format json");
  const PlaceColumns places(cells, true);
  const std::vector<std::string> metrics = metrics_in(cells);
  Sheet sheet;
  places.add_to(sheet);
  const std::vector<std::string> words{"status", "reason", "key", "split_hash", "model_hash"};
  std::vector<std::string> counts{"judged_users", "epochs",   "best_epoch", "rounds",     "exchanges",
                                  "triples",      "bytes_up", "bytes_down", "tcc_vectors"};
  if (options.times) counts.emplace_back("seconds");
  for (const std::string& word : words) sheet.columns.push_back({word});
  for (const std::string& count : counts) sheet.columns.push_back({count, true});
  for (const std::string& metric : metrics) sheet.columns.push_back({metric, true});
  for (const StoredCell& cell : cells) {
    const Json head = head_json(cell, options.times);
    std::vector<SheetCell> row = places.cells(cell.place);
    for (const std::string& word : words) row.push_back(plain_cell(head[word]));
    for (const std::string& count : counts) row.push_back(plain_cell(head[count]));
    for (const std::string& metric : metrics) {
      const std::optional<double> value = cell.result.metric(metric);
      row.push_back(value ? value_cell(metric, *value) : SheetCell{nullptr, ""});
    }
    sheet.rows.push_back(std::move(row));
  }
  return answer(sheet, options, console);
}

Status show_curves(ResultsOptions& options, const Console& console) {
  SOTTO_TRY(const ResultsFile file, ResultsFile::open(options.file));
  SOTTO_TRY(const std::vector<StoredCell> cells, asked_cells(file, options));
  const PlaceColumns places(cells, true);
  Sheet sheet;
  places.add_to(sheet);
  for (const char* title : {"epoch", "loss", "validation", "triples", "bytes_up", "bytes_down"})
    sheet.columns.push_back({title, true});
  for (const StoredCell& cell : cells) {
    SOTTO_TRY(const CellDetail detail, file.detail(cell.place.key));
    for (const CurvePoint& point : detail.curve) {
      std::vector<SheetCell> row = places.cells(cell.place);
      row.push_back(count_cell(point.epoch));
      row.push_back(value_cell("loss", point.loss));
      row.push_back(point.validation ? value_cell("validation", *point.validation) : SheetCell{nullptr, ""});
      for (const std::uint64_t count : {point.triples, point.bytes_up, point.bytes_down})
        row.push_back(count_cell(count));
      sheet.rows.push_back(std::move(row));
    }
  }
  return answer(sheet, options, console);
}

}  // namespace sotto::cli
