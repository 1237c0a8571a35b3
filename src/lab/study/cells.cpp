#include "lab/study/cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/hash.h"
#include "data/split_parts.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/prepare.h"
#include "engine/protect/lambda_choice.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"

namespace sotto::lab {

namespace {

bool is_cut_here(const DataRequest& data) {
  return !data.examples.wanted && data.split_file.empty() && data.test.empty();
}

// Whether each seed has a split of its own.
bool draws_split(const DataRequest& data) {
  const SplitRule& rule = data.split.rule;
  return data.examples.wanted || data.split.most_test > 0 ||
         (is_cut_here(data) &&
          (std::holds_alternative<RandomHoldout>(rule) || std::holds_alternative<LeaveOneOut>(rule)));
}

// Whether the split keeps ratings and times: where one model needs them, all share it.
bool keeps_records(const Study& study, const DataRequest& data) {
  return data.contexts.asked() ||
         std::any_of(study.models.begin(), study.models.end(),
                     [](const StudyModel& model) { return model.request.model->needs_ratings; });
}

DataRequest data_for(const Study& study, const StudyDataset& dataset, Phase phase) {
  DataRequest data = dataset.data;
  data.split.keep_records = keeps_records(study, data);
  data.examples.wanted = std::ranges::any_of(
      study.models, [](const StudyModel& model) { return model.request.model->needs_examples; });
  if (!study.search) return data;
  if (phase == Phase::final) {
    // Examples stay as the dataset has them: some models look at their validation part while they train.
    if (!data.examples.wanted) data.split.validation_share = 0.0;
    data.paths.insert(data.paths.end(), data.validation.begin(), data.validation.end());
    data.validation.clear();
  } else if ((data.examples.wanted || is_cut_here(data)) && data.split.validation_share == 0.0) {
    data.split.validation_share = study.search->validation_share;
  }
  return data;
}

// The user's items of a part, oldest first; as they stand where ages are not known.
std::vector<ItemIndex> in_time(const Histories& part, UserIndex user) {
  const auto items = part.of(user);
  const auto ages = part.ages_of(user);
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!ages.empty())
    std::stable_sort(order.begin(), order.end(),
                     [ages](std::size_t a, std::size_t b) { return ages[a] > ages[b]; });
  std::vector<ItemIndex> sorted;
  for (const std::size_t n : order) sorted.push_back(items[n]);
  return sorted;
}

// A saved split whose validation part goes back into training. Its items count as newer than the others;
// which of them is newer is not known, so they stand in the order of their numbers.
Result<Split> with_whole_training(Split split) {
  if (split.validation.interactions() == 0) return split;
  SplitParts parts;
  parts.train.oldest_first = split.train.has_ages();
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    for (const ItemIndex item : in_time(split.train, UserIndex{user})) parts.train.add(item);
    for (const ItemIndex item : split.validation.of(UserIndex{user})) parts.train.add(item);
    for (const ItemIndex item : split.test.of(UserIndex{user})) parts.test.add(item);
    parts.train.end_user();
    parts.validation.end_user();
    parts.test.end_user();
  }
  return assemble_split(split.users, split.items, std::move(parts), split.item_names, split.item_categories);
}

std::string content_of(const Split& split) {
  Hasher hasher;
  hasher.text(split.hash);
  for (const std::string& category : split.item_categories) hasher.text(category);
  if (split.features) hasher.text(split.features->hash());
  if (split.records) hasher.text(split.records->hash());
  if (split.contexts) hasher.text(split.contexts->hash());
  return std::move(hasher).hex();
}

// `knowledge` may be null.
Result<Split> with_features(Split split, const Knowledge* knowledge) {
  if (knowledge != nullptr) SOTTO_TRY_DONE(attach_features(*knowledge, split));
  return split;
}

Result<Split> ready_split(const Study& study, const DataRequest& data, Phase phase) {
  SOTTO_TRY(Prepared prepared, prepare(data));
  if (!study.search) return std::move(prepared.split);
  if (phase == Phase::final) {
    SOTTO_TRY(Split whole, with_whole_training(std::move(prepared.split)));
    return with_features(std::move(whole), prepared.knowledge.get());
  }
  if (!data.examples.wanted && prepared.split.validation.interactions() == 0)
    return fail(Code::usage, data.split_file +
                                 ": a search judges on a validation part, and this split has none: make one "
                                 "with 'sotto data split --validation 0.2'");
  return std::move(prepared.split);
}

// Makes the splits of one dataset, reading its files once.
class DatasetSplits {
 public:
  DatasetSplits(const Study& study, const StudyDataset& dataset) : study_(study), dataset_(dataset) {}

  [[nodiscard]] Result<Split> make(Phase phase, std::uint64_t seed) {
    DataRequest data = data_for(study_, dataset_, phase);
    if (!data.rating_scale.empty()) {
      SOTTO_TRY(data.split.scale, parse_rating_scale(data.rating_scale));
    }
    data.split.seed = seed;
    if (!is_cut_here(data)) return ready_split(study_, data, phase);
    if (!loaded_) {
      SOTTO_TRY(LoadedData loaded, load_data(data));
      loaded_ = std::move(loaded.dataset);
      knowledge_ = std::move(loaded.knowledge);
    }
    SOTTO_TRY(Split split, split_dataset(*loaded_, data.split));
    SOTTO_TRY(Split known, with_features(std::move(split), knowledge_.get()));
    SOTTO_TRY_DONE(attach_contexts(data.contexts, known));
    return known;
  }

 private:
  const Study& study_;
  const StudyDataset& dataset_;
  std::optional<Dataset> loaded_;
  std::shared_ptr<const Knowledge> knowledge_;
};

// The learning curve while it grows.
class CurveKeeper {
 public:
  [[nodiscard]] Status note(const TrainProgress& progress) {
    totals_.add(progress.since_last);
    epoch_.add(progress.since_last);
    if (progress.epoch == curve_.size()) return Done{};  // still inside the epoch
    curve_.push_back({progress.epoch, epoch_.mean_loss(), progress.validation, totals_.triples,
                      totals_.bytes_up, totals_.bytes_down});
    epoch_ = {};
    return Done{};
  }
  [[nodiscard]] std::vector<CurvePoint> take() { return std::move(curve_); }

 private:
  RoundReport totals_, epoch_;
  std::vector<CurvePoint> curve_;
};

Status check_room(const TrainRequest& request, const Split& split, std::size_t threads) {
  const std::optional<double> available = available_memory();
  if (!available) return Done{};
  return check_memory(request, memory_facts(request, split, threads), *available);
}

CellResult result_of(const TrainRequest& request, const Split& split, const Trained& trained,
                     const Evaluation& evaluation) {
  CellResult result;
  result.done = true;
  result.request = to_toml(request);
  result.split_hash = split.hash;
  result.model_hash = trained.model_hash;
  result.metrics = evaluation.metrics;
  result.judged_users = evaluation.users;
  result.best_epoch = trained.best_epoch;
  result.totals = trained.totals;
  result.seconds = trained.seconds;
  if (request.model->sends == Sends::item_steps)
    result.vectors = trained.schedule.vectors_per_epoch(split.catalogue, request.plan.consent.pi) *
                     static_cast<double>(trained.totals.rounds) / trained.schedule.rounds_per_epoch;
  return result;
}

}  // namespace

Result<TrainRequest> cell_request(const Study& study, const StudyDataset& dataset, const StudyModel& model,
                                  const CellChoice& choice) {
  SOTTO_TRY(TrainRequest request, with_settings(model.request, choice.settings));
  request.data = data_for(study, dataset, choice.phase);
  request.plan.seed = choice.seed;
  if (study.search && choice.phase == Phase::final) request.early = EarlyStopping{};
  SOTTO_TRY_DONE(settle(request));
  return request;
}

Result<StudyData> StudyData::load(const Study& study, const std::function<void(const std::string&)>& note) {
  StudyData data;
  for (std::size_t n = 0; n < study.datasets.size(); ++n) {
    const StudyDataset& dataset = study.datasets[n];
    if (note) note("reading " + dataset.name);
    DatasetSplits splits(study, dataset);
    for (const Phase phase : {Phase::search, Phase::final}) {
      if (phase == Phase::search && !study.search) continue;
      const bool each_seed = draws_split(data_for(study, dataset, phase));
      std::shared_ptr<const StudySplit> made;
      for (const std::uint64_t seed : study.seeds) {
        if (!made || each_seed) {
          auto split = splits.make(phase, seed);
          if (!split.ok())
            return chained(split.error(), dataset.where.empty() ? dataset.name : dataset.where);
          std::string content = content_of(*split);
          made = std::make_shared<const StudySplit>(StudySplit{std::move(*split), std::move(content)});
        }
        data.splits_[{n, phase, seed}] = made;
        if (phase == Phase::search) break;  // searches use the first seed
      }
    }
  }
  return data;
}

const StudySplit& StudyData::of(std::size_t dataset, Phase phase, std::uint64_t seed) const {
  return *splits_.at({dataset, phase, seed});
}

std::vector<const Split*> StudyData::all() const {
  std::map<std::string, const Split*> by_hash;
  for (const auto& [name, made] : splits_) by_hash[made->split.hash] = &made->split;
  std::vector<const Split*> all;
  for (const auto& [hash, split] : by_hash) all.push_back(split);
  return all;
}

std::string cell_key(const TrainRequest& request, const StudySplit& data, Phase phase) {
  TrainRequest plan = request;
  plan.data = DataRequest{};  // where files lie and how they were cut is in the split's content
  plan.log_every = 0;
  // A model that draws nothing, judged on everybody, is one result for all seeds.
  if (!seed_matters(request) && request.eval_users == 0) plan.plan.seed = Plan{}.seed;
  Hasher hasher;
  hasher.u64(results_format).text(to_toml(plan)).text(data.content).text(to_string(phase));
  return std::move(hasher).hex();
}

Result<ComputedCell> compute_cell(const TrainRequest& request, const Split& split, Phase phase,
                                  Executor& executor, const std::atomic<bool>* stop) {
  SOTTO_TRY_DONE(check_room(request, split, executor.threads()));
  CurveKeeper curve;
  TrainHooks hooks;
  hooks.stop = stop;
  hooks.count_updates = true;
  hooks.on_progress = [&curve](const TrainProgress& progress) { return curve.note(progress); };
  const Part part = phase == Phase::search ? Part::validation : Part::test;
  SOTTO_TRY_DONE(check_judged(request, part));
  SOTTO_TRY(Trained trained, train(request, split, executor, hooks));
  SOTTO_TRY(Evaluation evaluation, judge(request, split, trained, part, executor));
  ComputedCell cell;
  cell.result = result_of(request, split, trained, evaluation);
  cell.detail.curve = curve.take();
  if (!cell.detail.curve.empty()) cell.result.epochs = cell.detail.curve.back().epoch;
  cell.detail.per_user = std::move(evaluation.per_user);
  cell.detail.item_updates = std::move(trained.item_updates);
  cell.detail.item_recommended = std::move(evaluation.recommended);
  cell.detail.category_bias = std::move(evaluation.category_bias);
  return cell;
}

}  // namespace sotto::lab
