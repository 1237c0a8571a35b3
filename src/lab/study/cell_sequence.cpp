#include "lab/study/cell_sequence.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engine/plan/model_entry.h"

namespace sotto::lab {

namespace {

constexpr std::uint64_t positions_per_sequence = std::uint64_t{1} << 32;

bool has_epochs(const TrainRequest& request) { return request.model->has("model.epochs"); }

void set_epochs(Settings& settings, std::uint32_t epochs) {
  std::erase_if(settings, [](const Setting& one) { return one.key == "model.epochs"; });
  settings.push_back({"model.epochs", fmt::format("{}", epochs)});
}

// A model without anything to choose is not searched.
bool needs_search(const Study& study, const StudyModel& model) {
  const bool looks = model.request.early.patience > 0 && has_epochs(model.request);
  return study.search && (!model.grid.empty() || looks);
}

}  // namespace

CellSequence::CellSequence(const Study& study, const StudyData& data, std::size_t dataset, std::size_t model)
    : study_(study), data_(data), dataset_(dataset), model_(model), stage_(Stage::final) {
  const StudyModel& searched = study.models[model];
  if (!needs_search(study, searched)) return;
  const std::uint32_t epochs = has_epochs(searched.request) ? searched.request.plan.epochs : 0;
  searcher_ = make_searcher(*study.search, searched.grid, epochs);
  stage_ = Stage::search;
}

std::uint64_t CellSequence::final_cells() const {
  const std::uint64_t points = study_.search ? 1 : grid_points(study_.models[model_].grid).size();
  return points * study_.seeds.size();
}

void CellSequence::add(Step& step, const CellChoice& choice, const std::string& problem) {
  Cell cell;
  cell.slot = step.cells.size();
  cell.place = {.study = study_.name,
                .position = (dataset_ * study_.models.size() + model_) * positions_per_sequence + given_++,
                .dataset = dataset(),
                .model = model(),
                .phase = choice.phase,
                .settings = shown(choice.settings),
                .seed = choice.seed,
                .key = ""};
  const auto request = cell_request(study_, study_.datasets[dataset_], study_.models[model_], choice);
  std::string wrong = problem;
  if (request.ok()) {
    cell.request = *request;
  } else if (wrong.empty()) {
    wrong = request.error().message;
  }
  cell.data = &data_.of(dataset_, choice.phase, choice.seed);
  cell.place.key = cell_key(cell.request, *cell.data, choice.phase);
  if (!wrong.empty()) cell.place.key = "failed " + study_.name + " " + fmt::format("{}", cell.place.position);
  step.cells.push_back(std::move(cell));
  step.problems.push_back(std::move(wrong));
}

CellSequence::Step CellSequence::next() {
  Step step;
  if (stage_ == Stage::search) step = search_step();
  if (step.cells.empty() && stage_ == Stage::final) step = final_step();
  step_.assign(step.cells.size(), {});
  missing_ = step.cells.size();
  return step;
}

CellSequence::Step CellSequence::search_step() {
  Step step;
  for (Trial& trial : searcher_->next()) {
    if (trial.epochs) set_epochs(trial.settings, *trial.epochs);
    add(step, {trial.settings, study_.seeds.front(), Phase::search}, "");
    if (trial.epochs)
      step.cells.back().work = static_cast<double>(*trial.epochs) / study_.models[model_].request.plan.epochs;
    tried_.push_back(std::move(trial.settings));
  }
  if (step.cells.empty()) stage_ = Stage::final;
  return step;
}

CellSequence::Step CellSequence::final_step() {
  Step step;
  stage_ = Stage::over;
  std::vector<Settings> points{{}};
  std::string problem;
  if (!study_.search) points = grid_points(study_.models[model_].grid);
  if (searcher_) {
    const std::optional<Settings> best = chosen();
    if (best)
      points = {*best};
    else
      problem = fmt::format("no setting could be chosen: all {} trials of the search failed", tried_.size());
  }
  for (const Settings& point : points)
    for (const std::uint64_t seed : study_.seeds) add(step, {point, seed, Phase::final}, problem);
  return step;
}

bool CellSequence::tell(std::size_t slot, const CellResult& result) {
  step_[slot] = result;
  if (--missing_ > 0) return false;
  if (stage_ == Stage::search) end_search_step();
  return true;
}

void CellSequence::end_search_step() {
  std::vector<TrialValue> values;
  for (const CellResult& result : step_) {
    const std::optional<double> value = result.metric(study_.search->metric);
    values.push_back(result.done && value && !std::isnan(*value) ? value : std::nullopt);
    best_epochs_.push_back(result.best_epoch);
  }
  searcher_->tell(values);
}

std::optional<Settings> CellSequence::chosen() const {
  const std::optional<std::size_t> best = searcher_->best();
  if (!best) return std::nullopt;
  Settings settings = tried_[*best];
  if (best_epochs_[*best]) set_epochs(settings, *best_epochs_[*best]);
  return settings;
}

}  // namespace sotto::lab
