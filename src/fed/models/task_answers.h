// TaskAnswers: what a task's model tells the person on the device, offline: scores, and the reasons for one.
//
// Laws: an item's score is what the simulator's model gives it for the same history; score = common + the
// person's part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/private.h"
#include "base/row_matrix.h"
#include "fed/models/device_history.h"
#include "fed/models/task.h"
#include "model/rating_predictor.h"

namespace sotto::fed {

// What a task's model answers its person from, offline. All of it outlives the answers.
struct PersonView {
  const Task& task;  // as it is for the person (persons_task)
  const RowMatrix& shared;
  const Histories& history;       // of one user: all that the person has, with its ages where they are known
  const Private<RowMatrix>* own;  // the private row that rounds moved; null: the device has not taken part
  DeviceKnowledge known = {};
  DeviceStreams streams = {};
};

// Something that speaks for an item: a thing the person has, or a feature of the item, in words.
struct ScoreReason {
  ItemIndex item = {};
  std::string feature = {};  // empty: it is `item`
  float likeness = 0.0f;  // of the two, as the model sees it; of a feature how much the person cares for it
  float weight = 0.0f;    // how much it adds for this person
};
// Why an item has its score: `common` for everybody, the rest for this person.
struct ScoreReasons {
  float score = 0.0f;
  float common = 0.0f;
  std::vector<ScoreReason> because =
      {};                // what speaks for it, in the order of the history or of the features
  bool by_items = true;  // false: the model does not say what single things add
};

class TaskAnswers {
 public:
  TaskAnswers() = default;
  TaskAnswers(const TaskAnswers&) = delete;
  TaskAnswers& operator=(const TaskAnswers&) = delete;
  virtual ~TaskAnswers() = default;

  // Of every item of the task's catalogue.
  virtual void score(std::span<float> out) const = 0;
  [[nodiscard]] virtual ScoreReasons reasons(ItemIndex item) const = 0;
  // What the person would give, one an occasion, on the task's scale; false: the model predicts no ratings.
  [[nodiscard]] virtual bool predict(std::span<const Occasion> /*occasions*/,
                                     std::span<float> /*out*/) const {
    return false;
  }
};

}  // namespace sotto::fed
