// What a device tells its person, offline: the best of what they do not have, and why.
//
// Laws: nothing leaves and nothing is written; what the person has is never recommended; the order is (score
// descending, row ascending). Where a private row follows from the shared rows it is solved here, for the
// version at hand and all that the person has now; else it is the one that rounds moved. An explanation adds
// up: the score is what is common to everybody (the item's bias) plus the person's part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/device_store.h"

namespace sotto::device {

struct Recommended {
  std::string item;
  float score = 0.0f;
};

// A thing the person has that lies near the item explained.
struct NearItem {
  std::string item;
  float likeness = 0.0f;  // cosine of the two vectors
  float weight = 0.0f;    // likeness × the score that the person's row gives it without its bias
};

struct Explanation {
  std::string item;
  float score = 0.0f;
  float bias = 0.0f;      // what everybody's devices learned about it
  float personal = 0.0f;  // what the person's own row adds
  bool has_it = false;
  std::vector<NearItem> because;  // largest weight first
};

// The model of a task and the person's row, ready to be asked.
class LocalRecommender {
 public:
  // Of a task that the device holds a model of. Code::not_found where it does not, or has not taken part yet.
  [[nodiscard]] static Result<LocalRecommender> load(DeviceStore& kept, const std::string& task);

  [[nodiscard]] std::vector<Recommended> top(std::size_t count) const;
  [[nodiscard]] Result<Explanation> explain(const std::string& item, std::size_t most) const;

 private:
  LocalRecommender() = default;
  [[nodiscard]] Status find_own(DeviceStore& kept, const std::string& task);
  [[nodiscard]] std::string name(std::uint32_t row) const;
  [[nodiscard]] std::optional<std::uint32_t> row_of(const std::string& item) const;

  std::shared_ptr<const HeldModel> model_;
  std::shared_ptr<const IdTable> names_;  // none: numbers
  Private<RowMatrix> own_;
  std::vector<ItemIndex> seen_;  // ascending
};

// Of each row for a person whose own row it is.
[[nodiscard]] std::vector<float> scores_of(const RowMatrix& rows, const RowMatrix& own);

// The task of a device that holds one model. Fails where there is none, or more than one to choose from.
[[nodiscard]] Result<std::string> only_task(DeviceStore& kept);

// For people: a sentence or two.
[[nodiscard]] std::string in_words(const Explanation& explanation);

}  // namespace sotto::device
