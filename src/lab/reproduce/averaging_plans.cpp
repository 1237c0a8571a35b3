#include "lab/reproduce/averaging_plans.h"

#include <fmt/core.h>

#include <algorithm>

namespace sotto {

namespace {

struct Experiment {
  std::string_view name;
  const char* folder;
  std::vector<const char*> files;
  const char* source;
  DealKind deal;
  float rate;
  std::uint32_t rounds;       // of a full run
  double full_round_seconds;  // on one core, of the first setting that was measured
  double quick_round_seconds;
};

const std::vector<Experiment>& experiments() {
  static const std::vector<const char*> digits{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                               "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
  static const std::vector<const char*> faces{"identity_CelebA.txt", "list_attr_celeba.txt",
                                              "list_eval_partition.txt"};
  constexpr const char* mnist = "http://yann.lecun.com/exdb/mnist/";
  static const std::vector<Experiment> all{
      {mnist_iid, "mnist", digits, mnist, DealKind::iid, 0.215f, 60, 60.0, 0.6},
      {mnist_shards, "mnist", digits, mnist, DealKind::shards, 0.1f, 200, 60.0, 0.6},
      {celeba_people, "celeba-meta", faces, "https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
       DealKind::people, 0.1f, 100, 2.0, 0.1},
  };
  return all;
}

const Experiment* experiment_of(std::string_view name) {
  const auto found = std::find_if(experiments().begin(), experiments().end(),
                                  [&](const Experiment& one) { return one.name == name; });
  return found == experiments().end() ? nullptr : &*found;
}

// What fits 2 cores in a few minutes.
void make_quick(AveragingRequest& request) {
  request.rounds = 40;
  if (request.deal == DealKind::people) {
    request.most_devices = 200;
    return;
  }
  request.most_devices = 20;
  request.most_examples = 100;
  request.plan.cohort = 0.25;
  request.classifier.channels = {8, 16};
  request.classifier.hidden = {64};
}

}  // namespace

std::vector<Target> averaging_targets() {
  using enum TargetKind;
  const auto target = [](std::string_view name, std::string_view title, TargetKind kind,
                         std::vector<std::string_view> data) {
    Target made;
    made.name = name;
    made.title = title;
    made.kind = kind;
    made.datasets = std::move(data);
    return made;
  };
  return {
      target("thesis-5.1", "Thesis, table 5.1: rounds until devices are served, MNIST IID", reached_rounds,
             {mnist_iid}),
      target("thesis-5.2", "Thesis, table 5.2: mistakes shared with the baseline, MNIST IID", mistakes,
             {mnist_iid}),
      target("thesis-5.3", "Thesis, table 5.3: rounds until devices are served, MNIST non-IID",
             reached_rounds, {mnist_shards}),
      target("thesis-5.4", "Thesis, table 5.4: mistakes shared with the baseline, MNIST non-IID", mistakes,
             {mnist_shards}),
      target("thesis-5.5", "Thesis, table 5.5: rounds until devices are served, CelebA", reached_rounds,
             {celeba_people}),
      target("thesis-5.6", "Thesis, table 5.6: mistakes shared with the baseline, CelebA", mistakes,
             {celeba_people}),
      target("fig-5.1", "Thesis, figure 5.1: accuracy over the rounds", accuracy_curves,
             {mnist_iid, mnist_shards, celeba_people}),
  };
}

bool is_averaging_data(std::string_view name) { return experiment_of(name) != nullptr; }

Result<PaperData> find_averaging_data(std::string_view name, const DataFolder& folder) {
  const Experiment* experiment = experiment_of(name);
  SOTTO_ASSERT(experiment != nullptr, "asked for after is_averaging_data()");
  const std::filesystem::path place = folder.root / experiment->folder;
  PaperData found;
  found.name = found.shown = std::string(name);
  found.remedy = fmt::format("{}: put its files into {}", experiment->source, place.string());
  found.there = true;
  for (const char* file : experiment->files) {
    SOTTO_TRY(const std::string path, plain_or_packed(place, file));
    found.there = found.there && !path.empty();
  }
  if (found.there) found.data.paths = {place.string()};
  if (name == celeba_people)
    found.caveat = "The thesis learns from pictures; here are 39 attributes of each, and whose it is.";
  return found;
}

IdxOptions averaging_pictures() { return {.height = 28, .width = 28}; }

Result<AveragingRequest> averaging_request(const Target& target, const PaperData& data,
                                           std::string_view setting, std::uint64_t seed, Effort effort) {
  const Experiment* experiment = experiment_of(data.name);
  SOTTO_ASSERT(experiment != nullptr, "targets of chapter 5 have data of chapter 5");
  AveragingRequest request;
  request.data = data.data.paths.empty() ? "" : data.data.paths.front();
  request.deal = experiment->deal;
  request.rounds = experiment->rounds;
  request.plan.seed = seed;
  request.plan.local.rate = experiment->rate;
  if (request.deal == DealKind::people) {
    request.classifier.kind = ClassifierKind::dense;
    request.classifier.hidden = {64};
  }
  SOTTO_TRY(request.criteria.order, parse_order(std::string(setting)));
  if (effort == Effort::quick) make_quick(request);
  if (target.runs.rounds > 0) request.rounds = target.runs.rounds;
  SOTTO_TRY(request.classifier.accelerator, parse_accelerator(target.runs.accelerator));
  return request;
}

std::uint32_t averaging_seeds(const Target& target, Effort effort) {
  if (target.seeds > 0) return target.seeds;
  return effort == Effort::quick ? 1 : 3;
}

double averaging_core_seconds(const Target& target, const PaperData& data, Effort effort) {
  const Experiment* experiment = experiment_of(data.name);
  const auto request = averaging_request(target, data, averaging_baseline, 1, effort);
  if (experiment == nullptr || !request.ok()) return 0.0;
  const double round =
      effort == Effort::quick ? experiment->quick_round_seconds : experiment->full_round_seconds;
  return round * request->rounds * averaging_seeds(target, effort) *
         static_cast<double>(averaging_settings(data.name).size()) / target.runs.parts;
}

}  // namespace sotto
