// ModelEntry: everything that sets one model apart from the others. A model is its own files in src/model, an
// entry in engine/models, and a line in the list there (all_models.cpp); everybody else asks the entry.
//
// Laws: a name stands once in the list; a plan holds the common fields and those of its model's entry, and no
// others; a model is trained in steps (`start`), made in one go (`make`) or has a loop of its own (`train`).
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "base/row_matrix.h"
#include "data/split.h"
#include "engine/plan/field.h"
#include "engine/plan/model_facts.h"
#include "fed/models/task.h"
#include "metrics/evaluate.h"
#include "model/central/dense_layers.h"
#include "model/mf_recommender.h"

namespace sotto::engine {

class FactorTraining;  // engine/train/factor_training.h
struct MemoryFacts;    // engine/train/memory_plan.h
struct MemoryPart;
struct DirectModel;  // engine/train/direct_model.h
struct PairModel;    // engine/train/pair_model.h
struct Checkpoint;   // engine/train/training.h
struct Trained;
struct TrainHooks;

struct ModelEntry {
  std::string name = {};   // in flags and plans
  std::string title = {};  // in tables
  std::string about = {};  // a line
  Sends sends = Sends::nothing;
  std::string reveals = {};  // of federated ones: what a device's message holds, in words
  bool needs_features = false;
  bool needs_ratings = false;
  // Its data are labelled examples in the hands of devices: it is a classifier, and recommends nothing.
  bool needs_examples = false;
  std::string step = "examples";  // what its speed is counted in
  Draws draws = Draws::always;
  // Its options in a plan's order; all_models() adds the common ones. Then its own, unless told otherwise.
  Fields fields = {};
  std::any own = std::monostate{};

  // What can be wrong with the options, before data is read.
  std::function<Status(const TrainRequest&)> check = {};
  // Trained in steps: ready for the first one. FPL's private rows may lie in storage of the caller's.
  std::function<Result<std::unique_ptr<FactorTraining>>(const TrainRequest&, const Split&, Executor&,
                                                        Storage*)>
      start = {};
  // With a loop of its own, and judged by itself. The checkpoint to go on from is used up; null: none.
  std::function<Result<Trained>(const TrainRequest&, const Split&, Executor&, TrainHooks&, Checkpoint*)>
      train = {};
  std::function<Result<Evaluation>(const TrainRequest&, const Split&, const Parameters&, Part, Executor&)>
      judge = {};
  // What can be wrong with the data, before anything is trained or written.
  std::function<Status(const TrainRequest&, const Split&)> check_data = {};
  // Made in one go.
  std::function<Result<DirectModel>(const TrainRequest&, const Split&, Executor&)> make = {};
  // The model over trained rows; the usual one is MfRecommender.
  std::function<Result<std::unique_ptr<Recommender>>(const TrainRequest&, const Split&, const RowsView&,
                                                     Executor&)>
      view = {};
  // The sizes of the rows that a run must hold; where they follow from more than this, view() looks.
  std::function<std::optional<RowShapes>(const TrainRequest&, const Split&)> shapes = {};
  std::function<void(const Task&, TrainRequest&)> of_task = {};  // a task's options that are no TaskOption
  OfRows* of_rows = nullptr;  // usually a row an item, and people's rows folded in
  // How somebody new gets a row.
  std::function<FoldInOptions(const TrainRequest&)> fold_in = {};
  // What training allocates, and what to do where that is too much.
  std::function<void(const TrainRequest&, const MemoryFacts&, std::vector<MemoryPart>&)> memory = {};
  std::string memory_remedy = {};

  // Of federated models.
  std::function<Result<Population>(const TrainRequest&, const Split&)> population = {};
  bool has_user_rows = false;  // one row of factors a person, which a device can solve or learn alone
  bool scratch = false;        // private rows may lie in a file
  // The items that a message of this person names, where its rows tell: the first item's row.
  std::optional<std::uint32_t> first_item_row = {};
  bool names_drawn_items = false;  // a message speaks of the items of drawn pairs (privacy/ledger)
  const PairModel* pairs = nullptr;
  // How runs are called where several stand side by side; the usual one is the title.
  std::function<std::string(const TrainRequest&)> label = {};
  bool (*learns_from_test)(const TrainRequest&) = nullptr;
  // What run.json says of it alone.
  std::function<void(const TrainRequest&, const Split&, const Trained&, nlohmann::json&)> summary = {};

  [[nodiscard]] bool federated() const { return sends != Sends::nothing; }
  [[nodiscard]] bool in_steps() const { return static_cast<bool>(start) || static_cast<bool>(train); }
  // Whether what is sent is a step of the model, which has a length.
  [[nodiscard]] bool sends_steps() const;
  [[nodiscard]] const Field* field(std::string_view path) const;
  [[nodiscard]] const Field* flag(std::string_view flag) const;
  [[nodiscard]] bool has(std::string_view path) const { return field(path) != nullptr; }
};

// The list, in the order of tables (engine/models/all_models.cpp).
[[nodiscard]] const std::vector<ModelEntry>& all_models();

// None of that name: what there is, and the nearest.
[[nodiscard]] Result<const ModelEntry*> find_model(const std::string& name);
// "slim, ease, …": of those that `wanted` takes, or all.
[[nodiscard]] std::string model_names(const std::function<bool(const ModelEntry&)>& wanted = nullptr);

// "a, b and c".
[[nodiscard]] std::string joined_words(const std::vector<std::string>& words);

// Whether a plan of some model has this key ("linear.l1").
[[nodiscard]] bool is_plan_key(std::string_view path);
// The keys that a plan sets and another model does not have.
[[nodiscard]] std::vector<std::string> keys_left_out(const TrainRequest& request, const ModelEntry& entry);
// "fpl has no such option, which belongs to slim".
[[nodiscard]] std::string not_of_model(const ModelEntry& entry, std::string_view option);
// "fpl has --factors, --lr and --epochs".
[[nodiscard]] std::string options_of(const ModelEntry& entry);

// What an option is unless somebody says otherwise, in words; "" where there is nothing to say.
[[nodiscard]] std::string standard_of(const ModelEntry& entry, const Field& field);

// Whether an option ("dp.place") protects people, so that nobody may lose it unawares.
[[nodiscard]] bool is_protection(std::string_view path);
// Whether it would protect nobody in this model: how much leaves, where nothing leaves.
[[nodiscard]] bool is_idle_protection(std::string_view path, const ModelEntry& entry);

// The same request for another model: what was set and both have stays, all else is as usual.
[[nodiscard]] TrainRequest with_model(TrainRequest request, const ModelEntry& entry);
// The same where a person asks for it: fails where a protection of people would be lost without a word.
[[nodiscard]] Result<TrainRequest> switched_to(TrainRequest request, const ModelEntry& entry);

// Whether the seed decides anything. Law: where not, requests that differ in it alone make the same.
[[nodiscard]] bool seed_matters(const TrainRequest& request);
// Whether it learns from what it is judged on, and what is said of it wherever runs stand side by side.
[[nodiscard]] bool learns_from_test(const TrainRequest& request);
inline constexpr const char* learned_from_test = "learned from the test part";
// The name in tables.
[[nodiscard]] std::string label_of(const TrainRequest& request);

}  // namespace sotto::engine
