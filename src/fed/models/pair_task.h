// Both halves of a task whose model is made of how often any two items are had together. A device says which
// items its person has; what is added for it are all their pairs (privacy/pair_contribution.h). A model's own
// file adds what a person weighs and how the model is solved and published. Where a triangle of the whole
// catalogue is too long, a round has two parts: the first counts how many people have each item, the second
// sums the pairs of the most popular ones alone; devices are told which those are, and no count.
//
// Laws: those of fed/models/task_model.h. What a device says depends on no model and no earlier round; a
// round makes the model anew from those who spoke in it. Of popular items a person gives what they would give
// if they had no others.
#pragma once

#include <optional>

#include "data/recency.h"
#include "fed/models/row_answers.h"
#include "model/central/item_weights.h"
#include "model/pair_sum.h"
#include "privacy/kept_items.h"
#include "privacy/pair_contribution.h"

namespace sotto::fed {

struct PairTaskOptions {
  std::uint32_t items = 0;  // the pairs of the most popular so many; 0: of the whole catalogue
  std::uint32_t bytes = 0;  // that a secure sum may take a device; 0: as many as usual
};
void visit_pairs(TaskOptions& keys, PairTaskOptions& options);
// Of how many items pairs are summed.
[[nodiscard]] std::size_t summed_items(const Task& task, PairTaskOptions options);

// What travels where the shared model has so many rows and numbers, and a person weighs so much.
[[nodiscard]] TaskShape shape_of_pairs(const Task& task, PairTaskOptions options, std::size_t rows,
                                       std::size_t width, PersonWeight weight);
// What no such task may ask for; and, where it publishes kept weights (below), those neither.
[[nodiscard]] Status check_pair_spec(const v1::TaskSpec& spec);
[[nodiscard]] Status check_kept_weights(const v1::TaskSpec& spec);

// Says which items the person has, as far as consent lets it; keeps nothing.
[[nodiscard]] std::unique_ptr<DeviceModel> pair_device(const Task& task, const DeviceStreams& streams,
                                                       const DeviceHistory& history);
void add_all_pairs(const Task& task, PersonWeight weight, const Contribution& sent, Contribution& out);

// Whether the secure sums of a cohort take a device no more bytes than they may.
[[nodiscard]] Status check_pair_cost(const Task& task, PairTaskOptions options, PersonWeight weight,
                                     std::uint32_t devices);

class PairServer : public ServerModel {
 public:
  PairServer(const Task& task, PersonWeight weight);

  ServerState start() const override { return {RowMatrix(shape_.rows, shape_.width), {}}; }
  Status check(const Contribution& contribution) const override;
  Result<ServerState> release(std::uint32_t releases, const ServerState& state,
                              Aggregator&& sum) const override;

 protected:
  // Puts the model into rows of zeros.
  [[nodiscard]] virtual Status solve(const PairSum& pairs, RowMatrix& rows) const = 0;
  // The popular items; none where pairs are of all.
  [[nodiscard]] const std::optional<KeptItems>& kept() const { return kept_; }

 private:
  [[nodiscard]] Status check_counts(const Contribution& contribution) const;

  TaskShape shape_;
  std::size_t items_;
  bool counts_;  // the part at hand is of how many people have each item
  std::optional<KeptItems> kept_;
  PersonWeight weight_;
};

// Weights as rows of a shared model: an item's row has the numbers of the others it is kept with, then as
// many weights; where it has fewer of them, weights of 0.
enum class WeightsBy : std::uint8_t { target, source };
void put_weights(const ItemWeights& weights, WeightsBy by, RowMatrix& rows);
#ifdef SOTTO_NO_SERVER
inline constexpr std::nullptr_t grown_weights = nullptr;
#else
// TaskModel::grown of them: an item may be kept with more others where there are more.
[[nodiscard]] ServerState grown_weights(const Task& task, const ServerState& state);
#endif
// Nothing that came over a network is believed: a number that names no item refuses the whole.
[[nodiscard]] Result<ItemWeights> weights_in(const RowMatrix& rows, WeightsBy by);

// The items of the rows of a matrix of popular items alone, in which each one's number stands in front; none
// where no round has made it yet.
[[nodiscard]] Result<KeptItems> kept_in(const RowMatrix& rows, std::size_t items);

// Answers from the rows: those of a square matrix of weights, by the item one has, or kept weights.
[[nodiscard]] Result<std::unique_ptr<TaskAnswers>> matrix_answers(const PersonView& view, float half_life);
[[nodiscard]] Result<std::unique_ptr<TaskAnswers>> weight_answers(const PersonView& view, WeightsBy by,
                                                                  float half_life);

}  // namespace sotto::fed
