// Measurements: what the studies of a target found out, by dataset, model and π.
//
// Laws: the same cell counts once, also where two studies share it; the interval of several seeds is
// Student's over their means, of a single one the bootstrap's over users.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "engine/plan/request.h"
#include "lab/study/results.h"
#include "metrics/statistics.h"

namespace sotto::lab {

struct MeasuredPoint {
  std::string dataset;
  std::string model;
  std::optional<double> pi;       // of the four configurations
  std::vector<StoredCell> cells;  // finished ones, by seed
};

struct MeasuredValue {
  double mean = 0.0;
  std::optional<Interval> interval;
  std::size_t seeds = 0;
};

class Measurements {
 public:
  // The final cells of these studies. `executor` is for intervals; both outlive it.
  [[nodiscard]] static Result<Measurements> load(const ResultsFile& results,
                                                 const std::vector<std::string>& studies, Executor& executor);

  // Which π stands in the tables. Unless told: the only one there is.
  void choose(const std::string& dataset, const std::string& model, double pi);

  [[nodiscard]] const MeasuredPoint* chosen(std::string_view dataset, std::string_view model) const;
  // All of a model, by rising π.
  [[nodiscard]] std::vector<const MeasuredPoint*> points(std::string_view dataset,
                                                         std::string_view model) const;
  // Why there is nothing; empty if nothing failed.
  [[nodiscard]] std::string failure(std::string_view dataset, std::string_view model) const;

  [[nodiscard]] Result<std::optional<MeasuredValue>> value(const MeasuredPoint& point,
                                                           std::string_view metric) const;
  // One value a judged user, the mean over seeds.
  [[nodiscard]] Result<std::vector<double>> per_user(const MeasuredPoint& point,
                                                     std::string_view metric) const;
  // Of one of the point's cells.
  [[nodiscard]] Result<CellDetail> detail(const StoredCell& cell) const;
  // Of the first seed.
  [[nodiscard]] Result<CellDetail> detail(const MeasuredPoint& point) const;
  [[nodiscard]] Result<std::vector<std::uint32_t>> popularity(const MeasuredPoint& point) const;

  // Complete plans of the chosen points of a dataset, by model.
  [[nodiscard]] Result<std::map<std::string, TrainRequest>> requests(std::string_view dataset) const;

 private:
  Measurements(const ResultsFile& results, Executor& executor) : results_(&results), executor_(&executor) {}
  void add(const StoredCell& cell);

  const ResultsFile* results_;
  Executor* executor_;
  std::vector<MeasuredPoint> points_;
  std::map<std::pair<std::string, std::string>, std::string> failures_;
  std::map<std::pair<std::string, std::string>, double> chosen_;
};

}  // namespace sotto::lab
