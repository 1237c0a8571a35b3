// Live evaluation: how good the lists are that devices make of a version, or how often it classifies their
// examples rightly, as one sum over many people.
//
// A device keeps some of its person's items out of every training of the task, makes the list that the person
// would get without them, and judges it by them. What leaves are the metrics of that one list in fixed point,
// where the model predicts ratings their errors, and, where the task counts coverage, which items stand in
// it. Laws: the metrics are those of metrics/accuracy.h on the candidates of metrics/evaluate.h (all items
// but those that are trained on). Held out are the newest items or, where their order in time is not known,
// some that are drawn by the item alone, so that the draw stays the same. Errors of ratings are over all that
// are held out, as in metrics/rating_error.h. A classifier has no lists: what leaves is how many examples are
// held out, and of how many it says the class; its accuracy is over all examples, as in
// metrics/device_accuracy.h. What leaves is bounded by what one list, or so many examples, can be: anything
// else is refused where it can be seen, and in a secure sum a total that none have.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fed/models/task_model.h"
#include "metrics/accuracy.h"
#include "model/averaging/local_task.h"

namespace sotto::fed {

// As TaskSpec has them; none: the task evaluates nothing.
[[nodiscard]] Result<std::optional<EvaluationTerms>> read_terms(const v1::TaskSpec& spec,
                                                                const TaskModel& model);

// Of one person's items (ascending, each once), with the age of each or none; ascending.
[[nodiscard]] std::vector<ItemIndex> held_out(const EvaluationTerms& terms, std::span<const ItemIndex> items,
                                              std::span<const std::uint16_t> ages,
                                              const DeviceStreams& streams);

// The task whose sum is of figures in place of contributions. `task` evaluates.
[[nodiscard]] Task evaluation_task(const Task& task);
// The longest contribution to it (L2), in people: what noise must hide.
[[nodiscard]] double longest_figures(const EvaluationTerms& terms);

// What leaves: `list` is the best items of the cutoff, `relevant` those held out (ascending, at least one),
// `errors` how far predicted ratings of these lie from those given.
[[nodiscard]] Contribution figures_of(const Task& evaluation, metrics::ItemList list,
                                      metrics::ItemList relevant, std::span<const float> errors = {});

// Ratings or examples of one person that are judged at most.
[[nodiscard]] std::uint32_t most_judged(const EvaluationTerms& terms);
// What leaves where it classifies: of so many examples, at most as many and at least one, so many are right.
[[nodiscard]] Contribution count_of(const Task& evaluation, const LocalScore& score);

class FiguresCheck final : public ContributionCheck {
 public:
  explicit FiguresCheck(const Task& evaluation) : terms_(*evaluation.evaluation), items_(evaluation.items) {}
  [[nodiscard]] Status check(const Contribution& contribution) const override;

 private:
  EvaluationTerms terms_;
  std::size_t items_;
};

// Metrics by name, as in metrics/metric_name.h; each a mean over people.
inline constexpr std::array<const char*, 5> figure_names{"P", "R", "HR", "nDCG", "MRR"};
inline constexpr std::array<const char*, 2> error_names{"MAE", "RMSE"};
inline constexpr const char* accuracy_name = "Accuracy";
struct RatingErrors {
  double ratings = 0.0;  // that were judged
  std::array<double, error_names.size()> errors{};
};
struct RightAnswers {
  double examples = 0.0;  // that were judged
  double accuracy = 0.0;
};
struct LiveFigures {
  std::uint64_t people = 0;
  std::optional<RightAnswers> answers = {};  // of a classifier, which has no others
  std::optional<RatingErrors> ratings = {};  // none: there were no ratings to judge
  std::array<double, figure_names.size()> means{};
  std::vector<std::uint64_t> lists;  // of each item: in how many lists it stands; empty: not counted
};
// Fails where no lists of so many people have this sum. A sum with noise is taken as it is.
[[nodiscard]] Result<LiveFigures> read_figures(const Task& evaluation, std::uint64_t people, bool noisy,
                                               Aggregator&& sum);

}  // namespace sotto::fed
