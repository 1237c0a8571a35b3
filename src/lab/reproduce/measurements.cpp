#include "lab/reproduce/measurements.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/plan/request.h"
#include "lab/reproduce/targets.h"
#include "metrics/bootstrap.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

std::optional<double> pi_of(const CellPlace& place) {
  const auto found = place.settings.find("consent.pi");
  if (found == place.settings.end() || !is_fpl_label(place.model)) return std::nullopt;
  return std::strtod(found->second.c_str(), nullptr);
}

std::pair<std::string, std::string> key_of(std::string_view dataset, std::string_view model) {
  return {std::string(dataset), std::string(model)};
}

}  // namespace

Result<Measurements> Measurements::load(const ResultsFile& results, const std::vector<std::string>& studies,
                                        Executor& executor) {
  Measurements measured(results, executor);
  const std::set<std::string> wanted(studies.begin(), studies.end());
  SOTTO_TRY(const std::vector<StoredCell> cells, results.cells());
  for (const StoredCell& cell : cells)
    if (cell.place.phase == Phase::final && wanted.contains(cell.place.study)) measured.add(cell);
  std::stable_sort(measured.points_.begin(), measured.points_.end(),
                   [](const MeasuredPoint& a, const MeasuredPoint& b) { return a.pi < b.pi; });
  for (MeasuredPoint& point : measured.points_)
    std::stable_sort(point.cells.begin(), point.cells.end(),
                     [](const StoredCell& a, const StoredCell& b) { return a.place.seed < b.place.seed; });
  return measured;
}

void Measurements::add(const StoredCell& cell) {
  const CellPlace& place = cell.place;
  if (!cell.result.done) {
    failures_.emplace(key_of(place.dataset, place.model), cell.result.reason);
    return;
  }
  const std::optional<double> pi = pi_of(place);
  const auto same = [&](const MeasuredPoint& point) {
    return point.dataset == place.dataset && point.model == place.model && point.pi == pi;
  };
  auto found = std::find_if(points_.begin(), points_.end(), same);
  if (found == points_.end())
    found = points_.insert(points_.end(), MeasuredPoint{place.dataset, place.model, pi, {}});
  for (const StoredCell& known : found->cells)
    if (known.place.key == place.key || known.place.seed == place.seed) return;
  found->cells.push_back(cell);
}

void Measurements::choose(const std::string& dataset, const std::string& model, double pi) {
  chosen_[{dataset, model}] = pi;
}

const MeasuredPoint* Measurements::chosen(std::string_view dataset, std::string_view model) const {
  const std::vector<const MeasuredPoint*> all = points(dataset, model);
  const auto choice = chosen_.find(key_of(dataset, model));
  if (choice == chosen_.end()) return all.empty() ? nullptr : all.front();
  for (const MeasuredPoint* point : all)
    if (point->pi && std::abs(*point->pi - choice->second) < 1e-6) return point;
  return nullptr;
}

std::vector<const MeasuredPoint*> Measurements::points(std::string_view dataset,
                                                       std::string_view model) const {
  std::vector<const MeasuredPoint*> found;
  for (const MeasuredPoint& point : points_)
    if (point.dataset == dataset && point.model == model) found.push_back(&point);
  return found;
}

std::string Measurements::failure(std::string_view dataset, std::string_view model) const {
  const auto found = failures_.find(key_of(dataset, model));
  return found == failures_.end() ? "" : found->second;
}

Result<std::optional<MeasuredValue>> Measurements::value(const MeasuredPoint& point,
                                                         std::string_view metric) const {
  std::vector<double> values;
  for (const StoredCell& cell : point.cells) {
    const std::optional<double> one = metric == "TCC" ? cell.result.vectors : cell.result.metric(metric);
    if (one) values.push_back(*one);
  }
  if (values.empty()) return std::optional<MeasuredValue>();
  MeasuredValue value{spread_of(values).mean, std::nullopt, values.size()};
  if (metric == "TCC") return std::optional(value);  // a formula: nothing to be unsure about
  if (values.size() > 1) {
    value.interval = mean_interval(values);
    return std::optional(value);
  }
  // What is taken over all records together is not the mean of the users' own values.
  if (const auto name = parse_metric_name(metric); name.ok() && is_over_records(*name))
    return std::optional(value);
  SOTTO_TRY(const std::vector<double> users, per_user(point, metric));
  if (!users.empty()) value.interval = bootstrap_mean(users, {}, *executor_);
  return std::optional(value);
}

Result<std::vector<double>> Measurements::per_user(const MeasuredPoint& point,
                                                   std::string_view metric) const {
  std::vector<double> means;
  for (const StoredCell& cell : point.cells) {
    SOTTO_TRY(const CellDetail found, results_->detail(cell.place.key));
    const std::vector<double> column = found.per_user.column(metric);
    if (means.empty()) means.resize(column.size());
    if (means.size() != column.size())
      return fail(Code::incompatible, results_->path() + ": seeds of one model judged different users");
    for (std::size_t n = 0; n < column.size(); ++n)
      means[n] += column[n] / static_cast<double>(point.cells.size());
  }
  return means;
}

Result<CellDetail> Measurements::detail(const StoredCell& cell) const {
  return results_->detail(cell.place.key);
}

Result<CellDetail> Measurements::detail(const MeasuredPoint& point) const {
  return detail(point.cells.front());
}

Result<std::vector<std::uint32_t>> Measurements::popularity(const MeasuredPoint& point) const {
  SOTTO_TRY(const std::optional<SplitFacts> facts, results_->split(point.cells.front().result.split_hash));
  return facts ? facts->popularity : std::vector<std::uint32_t>{};
}

Result<std::map<std::string, TrainRequest>> Measurements::requests(std::string_view dataset) const {
  std::map<std::string, TrainRequest> requests;
  for (const MeasuredPoint& point : points_) {
    if (point.dataset != dataset || chosen(dataset, point.model) != &point) continue;
    SOTTO_TRY(TrainRequest request,
              from_toml(point.cells.front().result.request, "the plan of " + point.model));
    request.data = {};
    requests.emplace(point.model, std::move(request));
  }
  return requests;
}

}  // namespace sotto::lab
