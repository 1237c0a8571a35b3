// A task as both sides compute it: the message (TaskSpec) in the engine's types, checked.
//
// What differs between models is behind `model` (fed/models/task_model.h). Law: what read_task() takes, both
// sides can compute with; a spec that asks for something this side does not know is refused by name.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <any>
#include <optional>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/result.h"
#include "fed/criteria/weighing.h"
#include "fed/models/part_total.h"
#include "fed/plan.h"
#include "model/averaging/network_tasks.h"
#include "privacy/contribution_edit.h"
#include "privacy/secure/sum_terms.h"

namespace sotto::fed {

struct TaskModel;

// What travels for a model, in rows and numbers.
struct TaskShape {
  std::size_t rows = 0;  // of the shared model
  std::size_t width = 0;
  std::size_t sum_rows = 0;  // of a round's sum
  std::size_t sum_width = 0;
  // Of a contribution as it goes to a plain sum: rows of the sum, unless something else is added for it
  // (TaskModel::added).
  struct Sent {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::size_t most_rows = 0;  // in one of them
    bool alike = false;         // its rows all hold the same numbers
  };
  Sent sent;
  std::int32_t limit = 0;    // of a number that is added, up and down
  bool blind = false;        // a contribution follows from no shared rows: none are fetched for it
  bool one_version = false;  // what was computed for an earlier version says something else: it is not added
  bool solved = false;       // the next rows follow from this one sum alone: it is whole, and of one version
  // What a round sums before this, part by part; of these only what is summed counts. Everybody who gave to a
  // part is told of its total (fed/models/part_total.h), and what they give to the next may follow from that.
  std::vector<TaskShape> before = {};
  // Of a part of several:
  const char* tells = "";   // what is told in it, in words for its person
  bool counts = false;      // nothing that is added is below 0
  bool told_again = false;  // the next part's sum has it too: whoever is in one alone shows in the difference
  // Members are told which numbers of the sum are the largest and no number itself: how many, of the first so
  // many. None: they are told the sum.
  struct Largest {
    std::size_t most = 0;
    std::size_t among = 0;
  };
  Largest largest = {};

  [[nodiscard]] std::size_t sum_numbers() const { return sum_rows * sum_width; }
};

// What devices hold out of a task's training, and how a version is judged by it (live_evaluation.h).
struct EvaluationTerms {
  std::uint32_t holdout = 0;  // items, at most half of what the person has
  float share = 0.0f;         // where holdout is 0: of what the person has, rounded down
  std::uint32_t cutoff = 10;  // length of the lists
  bool coverage = false;      // which items stand in them is counted
  float rating_range = 0.0f;  // of the ratings that are predicted of what is held out; 0: none are
  bool classifies = false;    // held out are labelled examples: counted is where it is right, without lists
};

// What criteria can weigh (weighed_task.h): what adds up in a sum, such as statistics; steps of
// the model; steps that are averaged, whose sum has rows behind the model's in which everybody counts.
enum class Weighable : std::uint8_t { no, sums, steps, mean };

// By what devices count more or less (fed/models/weighed_task.h).
struct TaskCriteria {
  CriteriaOptions options;
  std::uint32_t size_bound = 0;
  std::string quality;
};

struct Task {
  std::string name;
  const TaskModel* model = nullptr;
  std::any options;  // the model's own: options_of()
  Plan plan;         // seed and fixed are set, and triples of models that draw. Consent is each device's own.
  std::size_t items = 0;
  bool reproducible = false;
  v1::Precision down = v1::PRECISION_F32;
  bool secure = false;
  SumAssumptions assumed;
  ClipLimits clip;     // in units of a contribution's integers
  double share = 1.0;  // of the people in a round, for the server, where it draws its cohorts
  std::optional<EvaluationTerms> evaluation;  // none: nothing is held out
  std::optional<TaskCriteria> criteria;       // none: all devices count alike
  std::optional<TaskShape> other_sum;         // what is summed is no contribution to the model
  std::vector<PartTotal> totals;              // as told, of the parts that are over: the next one is at hand
  Bytes32 said{};                             // the digest of the message that it was read from
  const NetworkTasks* networks = nullptr;     // what trains networks on this device; null: nothing does

  [[nodiscard]] TaskShape shape() const;
  // What is summed in the part that is at hand.
  [[nodiscard]] TaskShape part() const;
  [[nodiscard]] std::size_t parts() const { return shape().before.size() + 1; }
  [[nodiscard]] bool in_last_part() const { return totals.size() + 1 == parts(); }
};

// For the model's own file, which put them there.
template <class Options>
[[nodiscard]] const Options& options_of(const Task& task) {
  const auto* options = std::any_cast<Options>(&task.options);
  SOTTO_ASSERT(options != nullptr, "a task has the options of its model");
  return *options;
}

[[nodiscard]] Result<Task> read_task(const v1::TaskSpec& spec);
// With the hash of the catalogue, so that who has it knows which rows are what.
[[nodiscard]] Bytes32 digest_of_task(const v1::TaskSpec& spec);
// Whether it is the same task of more items: a catalogue's growth is all that a task may change by.
[[nodiscard]] bool is_grown(v1::TaskSpec before, v1::TaskSpec after);
// Whether a text from a stranger may name something, and be printed.
[[nodiscard]] bool is_plain_name(const std::string& name);

}  // namespace sotto::fed
