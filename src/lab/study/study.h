// A study: datasets × models × settings × seeds, and how the settings are chosen.
//
// Without a search every point of a model's grid is a final cell: trained with each seed and judged on the
// test part. With one, settings are tried on a validation part of the training part; the best of each
// (dataset, model) is trained again on the whole training part with each seed and judged on the test part,
// for as many epochs as served best where early stopping looked. Labelled examples keep the validation part
// that their dataset asks for: a model may look at it while it trains.
//
// Law: a study is plain data, however it was written; TOML is one way (study_toml.h).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/plan/request.h"
#include "lab/study/results.h"

namespace sotto::lab {

// One key of a plan ("consent.pi") and its value as TOML writes it ("0.5", "\"sfpl\"").
struct Setting {
  std::string key;
  std::string value;
  bool operator==(const Setting&) const = default;
};
using Settings = std::vector<Setting>;

struct Range {
  double min = 0.0;
  double max = 1.0;
  bool log = false;    // even on a logarithmic scale
  bool whole = false;  // whole numbers only
};

// What is varied along one key: values, or (for searches other than grid) a range.
struct Axis {
  std::string key;
  std::vector<std::string> values;  // as TOML writes them
  std::optional<Range> range;
  std::string where;  // "study.toml, line 12", for messages; may be empty
};

struct StudyDataset {
  std::string name;
  DataRequest data;
  std::string where;
};

struct StudyModel {
  std::string label;     // "sFPL+"
  TrainRequest request;  // all but data and seed
  std::vector<Axis> grid;
  std::string where;
};

enum class SearchMethod : std::uint8_t {
  grid,     // every point
  random,   // points drawn from the axes, each once
  halving,  // the best of many get more epochs (Jamieson and Talwalkar 2016)
  bayes,    // a Gaussian process proposes where improvement is expected (search_bayes.h)
};
// As they are written, in this order.
inline constexpr std::initializer_list<const char*> search_methods{"grid", "random", "halving", "bayes"};

struct Search {
  SearchMethod method = SearchMethod::grid;
  std::string metric = "nDCG@10";  // the best wins (metrics/metric_name.h)
  std::uint32_t trials = 20;       // settings tried; grid: all
  std::uint64_t seed = 1;          // of the draws
  double validation_share = 0.2;   // cut off the training part where the data brings no validation part
  std::uint32_t eta = 3;           // halving: one in eta goes on, with eta times the epochs
  std::uint32_t min_epochs = 1;    // halving: of the first step, at least
  std::uint32_t batch = 1;         // bayes: proposals at once
};

struct Study {
  std::string name;
  std::vector<StudyDataset> datasets;
  std::vector<StudyModel> models;
  std::optional<Search> search;
  std::vector<std::uint64_t> seeds{1};  // searches use the first
};

// Everything that can be wrong before data is read: names twice, empty grids, unknown keys, values that do
// not fit, a metric that no evaluation has. Says where.
[[nodiscard]] Status check(const Study& study);

// The request with these settings; a wrong one says so.
[[nodiscard]] Result<TrainRequest> with_settings(const TrainRequest& base, const Settings& settings);
// The settings as people read them: strings without quotes.
[[nodiscard]] std::map<std::string, std::string> shown(const Settings& settings);

// "consent.pi = 0.5, model.factors = 20".
[[nodiscard]] std::string described(const Settings& settings);

// The axis' value at `unit` of the way from its beginning (0) to its end (1).
[[nodiscard]] std::string value_at(const Axis& axis, double unit);

// All points of a grid, the last axis turning fastest; one point without settings if there are no axes.
[[nodiscard]] std::vector<Settings> grid_points(const std::vector<Axis>& axes);

}  // namespace sotto::lab
