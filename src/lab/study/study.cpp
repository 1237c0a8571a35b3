#include "lab/study/study.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "engine/plan/model_entry.h"
#include "lab/study/cells.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

constexpr std::size_t most_points = 100'000;

// "study.toml, line 3: message", or the message alone.
Error at(const std::string& where, const std::string& message) {
  return fail(Code::usage, where.empty() ? message : where + ": " + message);
}

template <class Named, class Name>
Status check_names(const std::vector<Named>& all, const char* what, Name name) {
  std::set<std::string> seen;
  for (const Named& one : all) {
    if (name(one).empty()) return at(one.where, fmt::format("a {} without a name", what));
    if (!seen.insert(name(one)).second)
      return at(one.where,
                fmt::format("the {} '{}' is there twice: give each a name of its own", what, name(one)));
  }
  return Done{};
}

Status check_range(const Axis& axis, const Study& study) {
  const Range& range = *axis.range;
  if (!study.search || study.search->method == SearchMethod::grid)
    return at(axis.where,
              fmt::format("{}: a range has no grid points: give a list, or a [search] with method "
                          "random, halving or bayes",
                          axis.key));
  if (!(range.min < range.max)) return at(axis.where, fmt::format("{}: min must be below max", axis.key));
  if (range.log && !(range.min > 0.0))
    return at(axis.where, fmt::format("{}: a logarithmic range begins above 0", axis.key));
  return Done{};
}

// The same text for the same number, however it is written.
std::string plainly(const std::string& value) {
  double number = 0.0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  return problem == std::errc{} && end == value.data() + value.size() ? fmt::format("{}", number) : value;
}

Status check_axis(const Axis& axis, const Study& study) {
  const std::string section = axis.key.substr(0, axis.key.find('.'));
  if (axis.key == "seed" || section == "data" || section == "split")
    return at(axis.where,
              fmt::format("{}: a grid varies the model; seeds and datasets have lists of their own "
                          "(seeds = […], [[dataset]])",
                          axis.key));
  if (axis.key == "model.epochs" && study.search && study.search->method == SearchMethod::halving)
    return at(axis.where, "model.epochs: halving itself varies the epochs: take them out of the grid");
  if (axis.range && axis.values.empty()) return check_range(axis, study);
  if (axis.values.empty())
    return at(axis.where, fmt::format("{}: an empty grid: give at least one value", axis.key));
  std::set<std::string> seen;
  for (const std::string& value : axis.values)
    if (!seen.insert(plainly(value)).second)
      return at(axis.where, fmt::format("{}: {} is there twice: the same setting gives the same result",
                                        axis.key, value));
  return Done{};
}

Status check_metric(const std::string& metric, const TrainRequest& request, const std::string& where) {
  const std::vector<std::string> known =
      request.model->needs_examples ? usual_metrics(0, MetricNeeds::labels) : metric_names(request.cutoffs);
  if (std::ranges::find(known, metric) != known.end()) return Done{};
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  return at(where,
            fmt::format("there is no metric '{}'; with the cut-offs given there are {}", metric, names));
}

// Each value of each axis alone: what a search draws is a mix of them.
std::vector<Settings> single_settings(const std::vector<Axis>& axes) {
  std::vector<Settings> all{{}};
  for (const Axis& axis : axes) {
    for (const std::string& value : axis.values) all.push_back({{axis.key, value}});
    if (axis.range && axis.values.empty())
      for (const double unit : {0.0, 1.0}) all.push_back({{axis.key, value_at(axis, unit)}});
  }
  return all;
}

Status check_points(const Study& study, const StudyModel& model) {
  const bool whole_grid = !study.search || study.search->method == SearchMethod::grid;
  std::size_t points = 1;
  for (const Axis& axis : model.grid)
    points = std::min(points * std::max<std::size_t>(axis.values.size(), 1), most_points + 1);
  if (whole_grid && points > most_points)
    return at(model.where, fmt::format("the grid of '{}' has more than {} points: take a search with random "
                                       "draws instead",
                                       model.label, most_points));
  const auto refused = [&](const Settings& settings, const std::string& why) {
    return at(model.where, fmt::format("model '{}'{}: {}", model.label,
                                       settings.empty() ? "" : ", " + described(settings), why));
  };
  for (const Settings& settings : whole_grid ? grid_points(model.grid) : single_settings(model.grid))
    for (const Phase phase : {Phase::search, Phase::final}) {
      if (phase == Phase::search && !study.search) continue;
      const auto request =
          cell_request(study, study.datasets.front(), model, {settings, study.seeds.front(), phase});
      if (!request.ok()) return refused(settings, request.error().message);
      if (request->model->needs_examples != model.request.model->needs_examples)
        return refused(settings, "a grid does not mix models of examples and of histories: make two studies");
    }
  return Done{};
}

Status check_model(const Study& study, const StudyModel& model) {
  std::set<std::string> keys;
  for (const Axis& axis : model.grid) {
    if (!keys.insert(axis.key).second) return at(axis.where, axis.key + ": twice in one grid");
    SOTTO_TRY_DONE(check_axis(axis, study));
  }
  SOTTO_TRY_DONE(check_points(study, model));
  if (model.request.early.patience > 0)
    SOTTO_TRY_DONE(check_metric(model.request.early.metric, model.request, model.where));
  return study.search ? check_metric(study.search->metric, model.request, model.where) : Done{};
}

Status check_search(const Search& search) {
  if (search.trials == 0) return fail(Code::usage, "search: trials is 0: try at least one setting");
  if (search.trials > most_points)
    return fail(Code::usage,
                fmt::format("search: trials is {}: try {} settings at most", search.trials, most_points));
  if (search.eta < 2) return fail(Code::usage, "search: eta must be 2 or more: one in eta goes on");
  if (search.min_epochs == 0) return fail(Code::usage, "search: min_epochs must be 1 or more");
  if (search.batch == 0) return fail(Code::usage, "search: batch must be 1 or more");
  if (!(search.validation_share > 0.0 && search.validation_share < 1.0))
    return fail(Code::usage, "search: validation_share must lie between 0 and 1");
  return Done{};
}

Status check_dataset(const Study& study, const StudyDataset& dataset) {
  const Phase phase = study.search ? Phase::search : Phase::final;
  const auto request = cell_request(study, dataset, study.models.front(), {{}, study.seeds.front(), phase});
  if (!request.ok())
    return at(dataset.where, fmt::format("dataset '{}': {}", dataset.name, request.error().message));
  const DataRequest& data = dataset.data;
  if (study.search && !data.test.empty() && data.validation.empty())
    return at(dataset.where,
              fmt::format("dataset '{}': a search judges on a validation part, and a given test "
                          "part is not cut again: give validation = [files] too",
                          dataset.name));
  return Done{};
}

}  // namespace

Status check(const Study& study) {
  if (study.name.empty()) return fail(Code::usage, "the study has no name: give name = \"…\"");
  if (study.datasets.empty()) return fail(Code::usage, "the study has no data: add a [[dataset]]");
  if (study.models.empty()) return fail(Code::usage, "the study has no model: add a [[model]]");
  if (study.seeds.empty()) return fail(Code::usage, "seeds is empty: give at least one, such as seeds = [1]");
  if (std::set(study.seeds.begin(), study.seeds.end()).size() != study.seeds.size())
    return fail(Code::usage, "seeds holds a number twice: the same seed gives the same result");
  if (study.search) SOTTO_TRY_DONE(check_search(*study.search));
  SOTTO_TRY_DONE(check_names(study.datasets, "dataset", [](const StudyDataset& one) { return one.name; }));
  SOTTO_TRY_DONE(check_names(study.models, "model", [](const StudyModel& one) { return one.label; }));
  for (const StudyDataset& dataset : study.datasets) SOTTO_TRY_DONE(check_dataset(study, dataset));
  for (const StudyModel& model : study.models) {
    if (model.request.model->needs_examples != study.models.front().request.model->needs_examples)
      return at(model.where, fmt::format("'{}' and '{}' learn from different things, examples and histories: "
                                         "make two studies",
                                         study.models.front().label, model.label));
    SOTTO_TRY_DONE(check_model(study, model));
  }
  return Done{};
}

Result<TrainRequest> with_settings(const TrainRequest& base, const Settings& settings) {
  TrainRequest request = base;
  // The model first: the others are options of it.
  Settings ordered = settings;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const Setting& one) { return one.key == "model.name"; });
  for (const Setting& setting : ordered) {
    const auto changed =
        from_toml(fmt::format("{} = {}\n", setting.key, setting.value), "", std::move(request));
    if (!changed.ok()) return changed.error();
    request = *changed;
  }
  return request;
}

std::map<std::string, std::string> shown(const Settings& settings) {
  std::map<std::string, std::string> map;
  for (const auto& [key, value] : settings) {
    const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'');
    map[key] = quoted ? value.substr(1, value.size() - 2) : value;
  }
  return map;
}

std::string described(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : shown(settings))
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
  return text;
}

std::vector<Settings> grid_points(const std::vector<Axis>& axes) {
  std::vector<Settings> points{{}};
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    for (const Settings& point : points)
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back({axis.key, value});
      }
    points = std::move(longer);
  }
  return points;
}

std::string value_at(const Axis& axis, double unit) {
  if (!axis.values.empty()) {
    const auto count = static_cast<double>(axis.values.size());
    return axis.values[static_cast<std::size_t>(std::min(unit * count, count - 1.0))];
  }
  const Range& range = *axis.range;
  const double value = range.log ? range.min * std::pow(range.max / range.min, unit)
                                 : range.min + unit * (range.max - range.min);
  if (range.whole) return fmt::format("{}", static_cast<std::int64_t>(std::llround(value)));
  return fmt::format("{:.4g}", value);  // nobody means more digits
}

}  // namespace sotto::lab
