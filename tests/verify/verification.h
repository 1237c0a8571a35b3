// Rows of figures on real data, and what measures and prints them beside their expectations.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/prepare.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"
#include "tests/verify/audit_figures.h"

namespace sotto::tests {

// A figure must lie in [low, high].
struct Expected {
  std::string metric;
  double low;
  double high;
};
inline Expected about(std::string metric, double value, double within) {
  return {std::move(metric), value - within, value + within};
}
inline Expected at_least(std::string metric, double value) { return {std::move(metric), value, 1e300}; }
inline Expected at_most(std::string metric, double value) { return {std::move(metric), -1e299, value}; }

using Figures = std::map<std::string, double>;

struct Row {
  std::string data;
  std::string name;
  std::function<void(TrainRequest&)> set;
  int seeds = 1;
  std::vector<Expected> expected;
  bool quick = true;
  // What is measured instead of a training, from the settled request.
  std::function<Result<Figures>(const TrainRequest&, const Split&, Executor&)> study = {};
};

class Verification {
 public:
  explicit Verification(std::string folder) : folder_(std::move(folder)), pool_(0) {}

  void run(const Row& row) {
    std::map<std::string, double> means;
    for (int seed = 1; seed <= row.seeds; ++seed) {
      TrainRequest request;
      request.plan.seed = static_cast<std::uint64_t>(seed);
      request.data.paths = {folder_ + "/" + row.data};
      request.data.filter.min_user = 20;
      row.set(request);
      KnowledgeRequest& kg = request.data.kg;
      if (kg.labels && request.data.names.empty())
        request.data.names = {folder_ + "/movielens-1m/movies.dat.zst"};
      for (std::string& path : kg.paths) path = folder_ + "/" + path;
      for (std::string& path : kg.links) path = folder_ + "/" + path;
      if (!kg.predicates.empty()) kg.predicates = folder_ + "/" + kg.predicates;
      const auto measured = measure(row, request);
      if (!measured.ok()) return report(row, "", std::nullopt, {}, measured.error().message);
      for (const auto& [name, value] : *measured) means[name] += value / row.seeds;
    }
    for (const Expected& expected : row.expected) {
      const auto found = means.find(expected.metric);
      report(row, expected.metric, found == means.end() ? std::nullopt : std::optional(found->second),
             expected, "");
    }
  }
  // A figure that was measured elsewhere.
  void figure(const MeasuredFigure& figure) {
    report({.data = figure.data, .name = figure.name, .set = {}, .expected = {}}, figure.metric, figure.value,
           {figure.metric, figure.low, figure.high}, figure.failure);
  }
  [[nodiscard]] int misses() const { return misses_; }
  [[nodiscard]] int figures() const { return figures_; }

 private:
  Result<Figures> measure(const Row& row, TrainRequest& request) {
    SOTTO_TRY_DONE(settle(request));
    SOTTO_TRY(const Split* split, split_of(request));
    if (row.study) return row.study(request, *split, pool_);
    TrainHooks hooks;
    SOTTO_TRY(const Trained trained, train(request, *split, pool_, hooks));
    SOTTO_TRY(const Evaluation evaluation, evaluate(*trained.model, *split, {}, pool_));
    Figures figures{{"users", static_cast<double>(split->users.size())},
                    {"items", static_cast<double>(split->catalogue)},
                    {"train", static_cast<double>(split->train.interactions())},
                    {"test", static_cast<double>(split->test.interactions())},
                    {"seconds", trained.seconds}};
    for (const Metric& metric : evaluation.metrics) figures[metric.name] = metric.value;
    return figures;
  }

  // Temporal splits do not depend on the seed: one load a dataset. Others are made anew for each.
  Result<const Split*> split_of(const TrainRequest& request) {
    std::string key = request.data.paths.front();
    if (std::holds_alternative<RandomHoldout>(request.data.split.rule))
      key += fmt::format(" {} {} {}", to_string(request.data.split.rule), request.plan.seed,
                         request.data.kg.labels);
    if (request.data.split.keep_records)
      key += fmt::format(" {} of {}, with records", request.plan.seed, request.data.split.most_test);
    const auto held = splits_.find(key);
    if (held != splits_.end()) return &held->second;
    SOTTO_TRY(Prepared prepared, prepare(request.data));
    return &splits_.emplace(key, std::move(prepared.split)).first->second;
  }

  void report(const Row& row, const std::string& metric, std::optional<double> value,
              const Expected& expected, const std::string& failure) {
    ++figures_;
    const bool held = value && *value >= expected.low && *value <= expected.high;
    misses_ += held ? 0 : 1;
    const bool bounded = expected.low > -1e298, open = expected.high >= 1e299;
    const std::string range = open      ? fmt::format("at least {:.6g}", expected.low)
                              : bounded ? fmt::format("{:.6g} to {:.6g}", expected.low, expected.high)
                                        : fmt::format("at most {:.6g}", expected.high);
    fmt::print("{:<4}  {:<14} {:<44} {:<8} {:>10}   expected {}{}\n", held ? "ok" : "MISS",
               dataset_name(row.data), row.name, metric, value ? fmt::format("{:.6g}", *value) : "none",
               range, failure.empty() ? "" : "; " + failure);
    std::fflush(stdout);
  }
  static std::string dataset_name(const std::string& path) {
    return path.substr(0, path.find('/')).substr(0, 14);
  }

  std::string folder_;
  ThreadPool pool_;
  std::map<std::string, Split> splits_;
  int misses_ = 0;
  int figures_ = 0;
};

}  // namespace sotto::tests
