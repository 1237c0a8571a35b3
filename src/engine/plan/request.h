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
#include "engine/plan/consent_request.h"
#include "engine/plan/context_request.h"
#include "engine/plan/criteria_request.h"
#include "engine/plan/dp_request.h"
#include "engine/plan/kgflex_request.h"
#include "engine/plan/knowledge_request.h"
#include "engine/plan/model_kind.h"
#include "fed/plan.h"
#include "fed/robust_sum.h"
#include "fed/secure/secure_collector.h"
#include "model/central/ease.h"
#include "model/central/neighbors.h"
#include "model/central/neural_options.h"
#include "model/central/vsm.h"
#include "model/fcf.h"
#include "model/fedcars/fedcars_options.h"

namespace sotto {

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
};

// Stop when the validation metric has not improved for `patience` looks; the best model is kept.
struct EarlyStopping {
  std::string metric = "nDCG@10";
  std::uint32_t every = 1;     // epochs between two looks
  std::uint32_t patience = 0;  // 0: never stop early
};

// What the factor models beside fpl and bprmf are told; seed, epochs, factors and rates are the plan's.
struct FactorRequest {
  std::optional<float> confidence;     // α of ials, fedals, fcf; none: the model's own
  float reg_power = 0.0f;              // ν of ials, fedals
  std::uint32_t negatives = 4;         // mf: examples that were not consumed, a consumed one
  std::uint32_t max_trials = 50;       // warp
  std::optional<ServerStep> server;    // fcf, kgflex, fedcars; none: adam, but plain steps for kgflex
  std::optional<float> server_lr;      // none: the step's own
  float beta1 = 0.9f, beta2 = 0.999f;  // fcf with Adam
};

// What a device of fedmultvae and fedneumf does in a round; its batch is that of the network.
struct AveragedRequest {
  std::uint32_t epochs = 1;
  std::optional<float> rate;  // none: the network's own (engine/models/averaged_networks.h)
  float proximal = 0.0f;
};

inline constexpr std::uint32_t most_cutoff = 10'000;
inline constexpr std::uint64_t most_seed = 9'223'372'036'854'775'807;  // TOML's largest number

// What the item-item models have beside λ and the number of neighbours.
struct LinearOptions {
  float l1 = 1.0f;                                // slim
  bool non_negative = true;                       // slim
  float alpha = 0.5f;                             // rp3beta
  float beta = 0.2f;                              // rp3beta
  float gram_power = 0.0f;                        // fedease: somebody with n items counts n^−power
  std::uint32_t dense_items = usual_dense_items;  // ease, fedease: the most that are solved as one matrix
};

// What Fed-CARS is told beside the plan's seed, epochs, factors and cohort, the server's step, and recency.
struct FedcarsRequest {
  MamlOptions rating = FedcarsOptions{}.rating;
  MamlOptions choice = FedcarsOptions{}.choice;  // order and what adapts are the rating's
  float error_bend = 0.0f;                       // in stars; 0: errors are squared
  bool choices = true;                           // learn what people choose, too
  float choice_rate = FedcarsOptions{}.choice_rate;
  float choice_recency = 0.0f;  // half-life, in records, for choices; 0: as for ratings
  std::uint32_t negatives = FedcarsOptions{}.negatives;
  std::uint32_t hidden = 0;
  QueryFrom query = QueryFrom::training;
  float query_share = FedcarsOptions{}.query_share;
  float few_share = FedcarsOptions{}.few_share;
  bool popularity_start = true;
  // Of the people, drawn once: these answer. The others receive the model and adapt on their own devices.
  double participation = 1.0;
};

struct TrainRequest {
  DataRequest data;
  ModelKind model = ModelKind::fpl;
  Plan plan;                        // seed, epochs, factors and rates also serve bprmf
  std::optional<LocalSteps> local;  // none: the plan's, but batch for kgflex
  KnnOptions knn;
  NeuralOptions neural;  // epochs and NeuMF's factors are the plan's
  AveragedRequest averaged;
  // The papers tie λ to α: unless given, λ_u = λ⁺ = α/20 and λ⁻ = α/200.
  std::optional<float> user_reg, positive_reg, negative_reg;
  LinearOptions linear;
  VsmOptions content;    // kahfm takes the rule of profiles from it
  float recency = 0.0f;  // half-life, in items, of models that sum over a history (data/recency.h)
  FactorRequest factors;
  KgflexRequest kgflex;
  FedcarsRequest fedcars;
  std::optional<float> lambda;  // of models of least squares; none: the model's own
  float rating_lr = 0.02f;      // learning rate of biasedmf and svdpp, in place of the plan's
  SumOptions sum;               // how contributions are added up
  DpRequest dp;                 // differential privacy of federated models (engine/protect/dp.h)
  ConsentRequest consent;       // people's own, beside the plan's
  RobustOptions robust;         // against lying devices; of federated models
  CriteriaRequest criteria;     // who counts how much; of federated models
  EarlyStopping early;
  std::vector<std::uint32_t> cutoffs{10};
  std::uint32_t eval_users = 0;    // judge a sample of so many users; 0: everybody
  std::uint32_t average_last = 0;  // epochs at the end over which the shared rows are averaged; 0: none
  bool wire = false;               // encode every message (slow; the same model)
  std::uint32_t log_every = 0;     // rounds a log line; 0: 1, or more where an epoch has over 1,000 rounds
};

// Checks all that can be wrong before data is read; fills in what follows (the λs, one seed for all).
[[nodiscard]] Status settle(TrainRequest& request);
[[nodiscard]] std::string to_toml(const TrainRequest& request);
// Reads on top of `base`; an unknown key or a wrong type names file and line.
[[nodiscard]] Result<TrainRequest> from_toml(const std::string& text, const std::string& name,
                                             TrainRequest base = {});

}  // namespace sotto
