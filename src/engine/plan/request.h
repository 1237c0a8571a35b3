// TrainRequest: everything one training run depends on. Flags and TOML plans are two ways to write
// one; `plan.toml` in a run directory is one, complete, so that a run can be made again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/filter.h"
#include "data/split.h"
#include "engine/plan/chosen_model.h"
#include "engine/plan/consent_request.h"
#include "engine/plan/context_request.h"
#include "engine/plan/criteria_request.h"
#include "engine/plan/dp_request.h"
#include "engine/plan/examples_request.h"
#include "engine/plan/knowledge_request.h"
#include "engine/plan/pair_request.h"
#include "fed/plan.h"
#include "fed/robust_sum.h"
#include "fed/secure/secure_collector.h"
#include "model/central/neighbors.h"
#include "model/server_step.h"

namespace sotto::engine {

// Where the data comes from: interaction files, a saved split, or the built-in world.
struct DataRequest {
  std::vector<std::string> paths;  // files or folders of interactions
  std::string columns;             // "user=1,item=2,…"; empty: detected
  std::vector<std::string> names;  // files with item names and categories
  std::string split_file;          // a split saved by `sotto data split`; then nothing else is read
  std::vector<std::string> test;   // given parts: `paths` is the training part
  std::vector<std::string> validation;
  FilterOptions filter;
  SplitOptions split;
  KnowledgeRequest kg;
  std::string rating_scale;  // "1:5"; empty: the smallest and largest rating of the data
  ContextRequest contexts;
  ExamplesRequest examples;
};

// Stop when the validation metric has not improved for `patience` looks; the best model is kept.
struct EarlyStopping {
  std::string metric = "nDCG@10";
  std::uint32_t every = 1;     // epochs between two looks
  std::uint32_t patience = 0;  // 0: never stop early
};

// The server's step by what devices sent, of models that have one. What is not given is the model's own.
struct ServerRequest {
  std::optional<ServerStep> step;
  std::optional<float> rate;  // none: the step's own
  float beta1 = 0.9f, beta2 = 0.999f;
};

inline constexpr std::uint32_t most_cutoff = 10'000;
inline constexpr std::uint64_t most_seed = 9'223'372'036'854'775'807;  // TOML's largest number

struct TrainRequest {
  DataRequest data = {};
  ChosenModel model = {};  // with the options that are its own
  Plan plan = {};          // seed, epochs, factors, rates and start also serve central models
  // What several models have. Each says in its entry which of these it has (engine/models).
  std::optional<LocalSteps> local = {};  // none: the model's own
  KnnOptions knn = {};
  // The papers tie λ to α: unless given, λ_u = λ⁺ = α/20 and λ⁻ = α/200.
  std::optional<float> user_reg = {}, positive_reg = {}, negative_reg = {};
  std::optional<float> lambda = {};  // of models of least squares; none: the model's own
  float recency = 0.0f;  // half-life, in items, of models that sum over a history (data/recency.h)
  ServerRequest server = {};
  std::uint32_t average_last = 0;  // epochs at the end over which the shared rows are averaged; 0: none
  // Of federated models.
  SumOptions sum = {};            // how contributions are added up
  PairRequest pairs = {};         // of which items pairs are summed
  DpRequest dp = {};              // differential privacy (engine/protect/dp.h)
  ConsentRequest consent = {};    // people's own, beside the plan's
  RobustOptions robust = {};      // against lying devices
  CriteriaRequest criteria = {};  // who counts how much
  bool wire = false;              // encode every message (slow; the same model)
  // How all of them are judged.
  EarlyStopping early = {};
  std::vector<std::uint32_t> cutoffs{10};
  std::uint32_t eval_users = 0;  // judge a sample of so many users; 0: everybody
  std::uint32_t log_every = 0;   // rounds a log line; 0: 1, or more where an epoch has over 1,000 rounds
};

// Checks all that can be wrong before data is read; fills in what follows (the λs, one seed for all).
[[nodiscard]] Status settle(TrainRequest& request);
[[nodiscard]] std::string to_toml(const TrainRequest& request);
// A plan that a result keeps, of this version or an earlier one.
[[nodiscard]] Result<TrainRequest> from_kept_toml(const std::string& text);
// Whether a plan says which model it is of.
[[nodiscard]] bool names_a_model(const std::string& text);
// Reads on top of `base`; an unknown key or a wrong type names file and line.
[[nodiscard]] Result<TrainRequest> from_toml(const std::string& text, const std::string& name,
                                             TrainRequest base = {});

}  // namespace sotto::engine
