// What a device tells its person, offline: the best of what they do not have, and why.
//
// Laws: nothing leaves and nothing is written; what the person has is never recommended; the order is (score
// descending, row ascending). The task's model answers (fed/models/task_model.h), for the version at hand and
// all that the person has now. An explanation adds up: the score is what is common to everybody plus the
// person's part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/held_task.h"
#include "fed/models/task_model.h"

namespace sotto::device {

struct Recommended {
  std::string item;
  std::string title;  // what the catalogue calls it: its name, where that has no title
  float score = 0.0f;
};

// A thing the person has that lies near the item explained, or a feature of that item.
struct NearItem {
  std::string item;  // of a feature its words
  std::string title;
  float likeness = 0.0f;  // of the two, as the model sees it; of a feature how much the person cares for it
  float weight = 0.0f;    // how much it adds
  bool is_feature = false;
};

struct Explanation {
  std::string item;
  std::string title;
  float score = 0.0f;
  float bias = 0.0f;      // what everybody's devices learned about it
  float personal = 0.0f;  // what the person's own row adds
  bool has_it = false;
  std::vector<NearItem> because;  // largest weight first
  bool by_items = true;           // false: the model does not say what single things add
};

// The model of a task and the person's row, ready to be asked.
class LocalRecommender {
 public:
  // Of a task that the device holds a model of. Code::not_found where it does not, or has not taken part yet.
  [[nodiscard]] static Result<LocalRecommender> load(DeviceStore& kept, const std::string& task);

  [[nodiscard]] std::vector<Recommended> top(std::size_t count) const;
  [[nodiscard]] Result<Explanation> explain(const std::string& item, std::size_t most) const;

 private:
  // What the answers are made from; it stays where it is.
  struct Known : HeldTask {  // its task as it is for the person
    DeviceStreams streams;
    Histories history;
    std::optional<Private<RowMatrix>> own;
  };

  LocalRecommender() = default;
  [[nodiscard]] static Result<ConsentTerms> terms_here(DeviceStore& kept, const ItemNames& names);

  std::unique_ptr<Known> known_;
  std::unique_ptr<TaskAnswers> answers_;
};

// Of each row for a person whose own row it is.
[[nodiscard]] std::vector<float> scores_of(const RowMatrix& rows, const RowMatrix& own);

// For people: a sentence or two.
[[nodiscard]] std::string in_words(const Explanation& explanation);

}  // namespace sotto::device
