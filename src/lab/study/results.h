// ResultsFile: what studies found out, in one SQLite file.
//
// A result belongs to a key: a hash of all that decides it (the settled request without its paths, the
// content of the split, the judged part, results_format). A study is a list of places that point at results,
// so that two studies share what they have in common and nothing finished is computed twice.
//
// Laws: a result appears whole or not at all, also when the process is killed; what was read back equals what
// was put; nothing but `seconds` depends on the clock or on the number of threads. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "metrics/evaluate.h"
#include "sim/round_report.h"
#include "storage/database.h"

namespace sotto::lab {

// Counts up when the file's tables change, or when the same request means another result.
inline constexpr std::uint32_t results_format = 1;

enum class Phase : std::uint8_t {
  search,  // trained without the validation part and judged on it
  final,   // judged on the test part
};
[[nodiscard]] const char* to_string(Phase phase);

// Where a cell stands in its study.
struct CellPlace {
  std::string study;
  std::uint64_t position = 0;  // the order of the study, whatever ran first
  std::string dataset;
  std::string model;  // its label: "sFPL+"
  Phase phase = Phase::final;
  std::map<std::string, std::string> settings;  // what the study varied: "consent.pi" → "0.5"
  std::uint64_t seed = 1;
  std::string key;
};

struct CellResult {
  bool done = false;
  std::string reason;   // why it failed
  std::string request;  // the complete plan, as TOML
  std::string split_hash;
  std::string model_hash;
  std::vector<Metric> metrics;
  std::uint64_t judged_users = 0;
  std::uint32_t epochs = 0;                 // trained
  std::optional<std::uint32_t> best_epoch;  // with early stopping: the model is this epoch's
  RoundReport totals;
  std::optional<double> vectors;  // of federated models: the papers' communication cost (TCC)
  double seconds = 0.0;

  [[nodiscard]] std::optional<double> metric(std::string_view name) const;
};

// One epoch of the learning curve; counts are sums from the start.
struct CurvePoint {
  std::uint32_t epoch = 0;
  double loss = 0.0;                 // mean over the epoch
  std::optional<double> validation;  // where the epoch was followed by a look
  std::uint64_t triples = 0;
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
};

// What figures need beside the metrics. Any of it may be empty.
struct CellDetail {
  PerUser per_user;
  std::vector<CurvePoint> curve;
  std::vector<std::uint64_t> item_updates;      // per item of the catalogue, during federated training
  std::vector<std::uint64_t> item_recommended;  // per item, in the lists of the deepest cut-off
  std::vector<CategoryBiasAt> category_bias;
};

// The data behind results, once a split.
struct SplitFacts {
  std::string hash;
  std::uint64_t users = 0;
  std::uint64_t catalogue = 0;
  std::uint64_t train = 0;  // interactions
  std::uint64_t validation = 0;
  std::uint64_t test = 0;
  std::vector<std::uint32_t> popularity;  // training interactions of each item
};
[[nodiscard]] SplitFacts facts_of(const Split& split);

struct StoredCell {
  CellPlace place;
  CellResult result;
};

class ResultsFile {
 public:
  // Opens the file, or makes it. A file of another format, or of another program, is refused.
  [[nodiscard]] static Result<ResultsFile> open_or_create(const std::string& path);
  [[nodiscard]] static Result<ResultsFile> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return database_.path(); }

  [[nodiscard]] Result<std::optional<CellResult>> find(const std::string& key) const;
  // A result that is there under this key is replaced.
  [[nodiscard]] Status put(const std::string& key, const CellResult& result, const CellDetail& detail);
  [[nodiscard]] Status put_split(const SplitFacts& facts);

  // Several changes as one, which is many times faster; none of them if `work` fails.
  [[nodiscard]] Status together(const std::function<Status()>& work) { return database_.transaction(work); }

  // The study starts with no places; its results stay.
  [[nodiscard]] Status begin_study(const std::string& study);
  [[nodiscard]] Status put_place(const CellPlace& place);

  [[nodiscard]] Result<std::vector<std::string>> studies() const;
  // Every cell with a result, by study and position.
  [[nodiscard]] Result<std::vector<StoredCell>> cells() const;
  [[nodiscard]] Result<CellDetail> detail(const std::string& key) const;
  [[nodiscard]] Result<std::optional<SplitFacts>> split(const std::string& hash) const;

 private:
  explicit ResultsFile(Database database) : database_(std::move(database)) {}

  Database database_;
};

// The number a setting's text is; none: it is a word.
[[nodiscard]] std::optional<double> number_in(const std::string& text);

}  // namespace sotto::lab
