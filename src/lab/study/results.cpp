#include "lab/study/results.h"

#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "data/examples/dealt_examples.h"
#include "engine/files/files.h"
#include "lab/study/stored_detail.h"
#include "metrics/accuracy.h"

namespace sotto::lab {

namespace {

constexpr DatabaseForm results_form{
    .what = "results file",
    .application = 0x534F5452,  // "SOTR"
    .version = results_format,
    .tables = R"(
CREATE TABLE results(
  key TEXT PRIMARY KEY, done INTEGER NOT NULL, reason TEXT NOT NULL, request TEXT NOT NULL,
  split_hash TEXT NOT NULL, model_hash TEXT NOT NULL, judged_users INTEGER NOT NULL, epochs INTEGER NOT NULL,
  best_epoch INTEGER, rounds INTEGER NOT NULL, exchanges INTEGER NOT NULL, triples INTEGER NOT NULL,
  loss_units INTEGER NOT NULL, bytes_up INTEGER NOT NULL, bytes_down INTEGER NOT NULL, vectors REAL,
  seconds REAL NOT NULL);
CREATE TABLE metrics(
  key TEXT NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, value REAL, PRIMARY KEY(key, place));
CREATE TABLE details(
  key TEXT PRIMARY KEY, users BLOB NOT NULL, item_updates BLOB NOT NULL, item_recommended BLOB NOT NULL);
CREATE TABLE per_user(
  key TEXT NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, user_values BLOB NOT NULL,
  PRIMARY KEY(key, place));
CREATE TABLE curves(
  key TEXT NOT NULL, place INTEGER NOT NULL, epoch INTEGER NOT NULL, loss REAL, validation REAL,
  triples INTEGER NOT NULL, bytes_up INTEGER NOT NULL, bytes_down INTEGER NOT NULL, PRIMARY KEY(key, place));
CREATE TABLE category_bias(
  key TEXT NOT NULL, place INTEGER NOT NULL, cutoff INTEGER NOT NULL, category TEXT NOT NULL,
  items INTEGER NOT NULL, source REAL, recommended REAL, disparity REAL, PRIMARY KEY(key, place));
CREATE TABLE splits(
  hash TEXT PRIMARY KEY, users INTEGER NOT NULL, catalogue INTEGER NOT NULL, train INTEGER NOT NULL,
  validation INTEGER NOT NULL, test INTEGER NOT NULL, popularity BLOB NOT NULL);
CREATE TABLE places(
  study TEXT NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, dataset TEXT NOT NULL,
  model TEXT NOT NULL, phase TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL,
  PRIMARY KEY(study, position));
)",
};

constexpr const char* result_columns =
    "done, reason, request, split_hash, model_hash, judged_users, epochs, best_epoch, rounds, exchanges, "
    "triples, loss_units, bytes_up, bytes_down, vectors, seconds";

// The columns of a result from column `at` on; the metrics are read apart.
CellResult result_at(const Query& row, int at) {
  CellResult result;
  result.done = row.number(at) != 0;
  result.reason = row.text(at + 1);
  result.request = row.text(at + 2);
  result.split_hash = row.text(at + 3);
  result.model_hash = row.text(at + 4);
  result.judged_users = row.number(at + 5);
  result.epochs = row.number<std::uint32_t>(at + 6);
  if (!row.is_null(at + 7)) result.best_epoch = row.number<std::uint32_t>(at + 7);
  result.totals = {.rounds = row.number(at + 8),
                   .exchanges = row.number(at + 9),
                   .triples = row.number(at + 10),
                   .loss_units = row.number<std::int64_t>(at + 11),
                   .bytes_up = row.number(at + 12),
                   .bytes_down = row.number(at + 13)};
  if (!row.is_null(at + 14)) result.vectors = row.real(at + 14);
  result.seconds = row.real(at + 15);
  return result;
}

Result<std::vector<Metric>> metrics_under(const Database& database, const std::string& key) {
  SOTTO_TRY(Query query,
            database.query("SELECT name, value FROM metrics WHERE key = ? ORDER BY place", {key}));
  std::vector<Metric> metrics;
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return metrics;
    metrics.push_back({query.text(0), query.real(1)});
  }
}

Status put_result(const Database& database, const std::string& key, const CellResult& result) {
  const RoundReport& totals = result.totals;
  SOTTO_TRY_DONE(database.run(
      fmt::format("INSERT INTO results(key, {}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", result_columns),
      {key, result.done, result.reason, result.request, result.split_hash, result.model_hash,
       result.judged_users, result.epochs, result.best_epoch, totals.rounds, totals.exchanges, totals.triples,
       totals.loss_units, totals.bytes_up, totals.bytes_down, result.vectors, result.seconds}));
  std::uint64_t place = 0;
  for (const Metric& metric : result.metrics)
    SOTTO_TRY_DONE(database.run("INSERT INTO metrics(key, place, name, value) VALUES(?,?,?,?)",
                                {key, place++, metric.name, metric.value}));
  return Done{};
}

Status remove_key(const Database& database, const std::string& key) {
  for (const char* table : {"results", "metrics", "details", "per_user", "curves", "category_bias"})
    SOTTO_TRY_DONE(database.run(fmt::format("DELETE FROM {} WHERE key = ?", table), {key}));
  return Done{};
}

Result<std::map<std::string, std::string>> parse_settings(const std::string& text, const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  std::map<std::string, std::string> settings;
  if (!json.is_object()) return fail(Code::bad_input, path + ": the settings of a cell are damaged");
  for (const auto& [key, value] : json.items())
    settings[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return settings;
}

}  // namespace

const char* to_string(Phase phase) { return phase == Phase::search ? "search" : "final"; }

std::optional<double> CellResult::metric(std::string_view name) const {
  for (const Metric& one : metrics)
    if (one.name == name) return one.value;
  // Of results from before it was stored: it follows from both means.
  constexpr std::string_view f1 = "F1means";
  if (!name.starts_with(f1)) return std::nullopt;
  const std::string cutoff(name.substr(f1.size()));
  const auto p = metric("P" + cutoff), r = metric("R" + cutoff);
  if (!p || !r) return std::nullopt;
  return f1_of(*p, *r);
}

SplitFacts facts_of(const Split& split) {
  if (split.examples != nullptr) {
    const ExampleCounts counts = counts_of(split.examples->dealt);
    return {.hash = split.hash,
            .users = split.users.size(),
            .train = counts.train,
            .validation = counts.validation,
            .test = counts.test,
            .popularity = {}};
  }
  return {.hash = split.hash,
          .users = split.users.size(),
          .catalogue = split.catalogue,
          .train = split.train.interactions(),
          .validation = split.validation.interactions(),
          .test = split.test.interactions(),
          .popularity = split.train.popularity(split.catalogue)};
}

Result<ResultsFile> ResultsFile::open_or_create(const std::string& path) {
  SOTTO_TRY(Database database, Database::open(path, results_form, Access::write));
  return ResultsFile(std::move(database));
}

Result<ResultsFile> ResultsFile::open(const std::string& path) {
  SOTTO_TRY(const bool there, is_there(path));
  if (!there)
    return fail(Code::not_found,
                fmt::format("{}: there is no such results file: make one with 'sotto sweep'", path));
  SOTTO_TRY(Database database, Database::open(path, results_form, Access::read));
  return ResultsFile(std::move(database));
}

Result<std::optional<CellResult>> ResultsFile::find(const std::string& key) const {
  SOTTO_TRY(Query query,
            database_.query(fmt::format("SELECT {} FROM results WHERE key = ?", result_columns), {key}));
  SOTTO_TRY(const bool row, query.step());
  if (!row) return std::optional<CellResult>();
  CellResult result = result_at(query, 0);
  SOTTO_TRY(result.metrics, metrics_under(database_, key));
  return std::optional<CellResult>(std::move(result));
}

Status ResultsFile::put(const std::string& key, const CellResult& result, const CellDetail& detail) {
  return database_.transaction([&]() -> Status {
    SOTTO_TRY_DONE(remove_key(database_, key));
    SOTTO_TRY_DONE(put_result(database_, key, result));
    return store_detail(database_, key, detail);
  });
}

Status ResultsFile::put_split(const SplitFacts& facts) {
  return database_.run("INSERT OR REPLACE INTO splits VALUES(?,?,?,?,?,?,?)",
                       {facts.hash, facts.users, facts.catalogue, facts.train, facts.validation, facts.test,
                        Octets(packed(std::span(facts.popularity)))});
}

Status ResultsFile::begin_study(const std::string& study) {
  return database_.run("DELETE FROM places WHERE study = ?", {study});
}

Status ResultsFile::put_place(const CellPlace& place) {
  return database_.run("INSERT OR REPLACE INTO places VALUES(?,?,?,?,?,?,?,?)",
                       {place.study, place.position, place.key, place.dataset, place.model,
                        to_string(place.phase), nlohmann::json(place.settings).dump(), place.seed});
}

Result<std::vector<std::string>> ResultsFile::studies() const {
  SOTTO_TRY(Query query, database_.query("SELECT DISTINCT study FROM places ORDER BY study"));
  std::vector<std::string> names;
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return names;
    names.push_back(query.text(0));
  }
}

Result<std::vector<StoredCell>> ResultsFile::cells() const {
  SOTTO_TRY(Query query, database_.query(fmt::format(
                             "SELECT study, position, places.key, dataset, model, phase, settings, seed, {} "
                             "FROM places JOIN results ON results.key = places.key ORDER BY study, position",
                             result_columns)));
  std::vector<StoredCell> cells;
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return cells;
    StoredCell& cell = cells.emplace_back();
    cell.place.study = query.text(0);
    cell.place.position = query.number(1);
    cell.place.key = query.text(2);
    cell.place.dataset = query.text(3);
    cell.place.model = query.text(4);
    cell.place.phase = query.text(5) == to_string(Phase::search) ? Phase::search : Phase::final;
    SOTTO_TRY(cell.place.settings, parse_settings(query.text(6), path()));
    cell.place.seed = query.number(7);
    cell.result = result_at(query, 8);
    SOTTO_TRY(cell.result.metrics, metrics_under(database_, cell.place.key));
  }
}

Result<CellDetail> ResultsFile::detail(const std::string& key) const { return load_detail(database_, key); }

Result<std::optional<SplitFacts>> ResultsFile::split(const std::string& hash) const {
  SOTTO_TRY(Query query, database_.query("SELECT users, catalogue, train, validation, test, popularity "
                                         "FROM splits WHERE hash = ?",
                                         {hash}));
  SOTTO_TRY(const bool row, query.step());
  if (!row) return std::optional<SplitFacts>();
  SplitFacts facts{.hash = hash,
                   .users = query.number(0),
                   .catalogue = query.number(1),
                   .train = query.number(2),
                   .validation = query.number(3),
                   .test = query.number(4),
                   .popularity = {}};
  SOTTO_TRY(facts.popularity, unpacked<std::uint32_t>(query.bytes(5), path()));
  return std::optional<SplitFacts>(std::move(facts));
}

std::optional<double> number_in(const std::string& text) {
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace sotto::lab
