#include "device/recommend.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "device/item_number.h"
#include "fed/models/task_model.h"
#include "metrics/top_k.h"

namespace sotto::device {

namespace {

// Without the bias, which stands last in a row.
double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < a.size(); ++k) sum += double{a[k]} * double{b[k]};
  return sum;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  const double length = std::sqrt(dot(a, a) * dot(b, b));
  return length > 0.0 ? dot(a, b) / length : 0.0;
}

}  // namespace

std::string LocalRecommender::name(std::uint32_t row) const {
  return names_ ? std::string(names_->name(row)) : std::to_string(row);
}

std::optional<std::uint32_t> LocalRecommender::row_of(const std::string& item) const {
  const auto row = names_ ? names_->find(item) : item_number(item);
  return row && *row < model_->rows.rows() ? row : std::nullopt;
}

Result<LocalRecommender> LocalRecommender::load(DeviceStore& kept, const std::string& task) {
  LocalRecommender made;
  SOTTO_TRY(made.model_, kept.model(task));
  if (!made.model_)
    return fail(
        Code::not_found,
        fmt::format("there is no model of the task '{}' on this device yet: run an exchange first", task));
  if (!made.model_->catalogue.empty()) {
    SOTTO_TRY(made.names_, kept.catalogue(made.model_->catalogue));
    if (!made.names_ || made.names_->size() != made.model_->rows.rows())
      return fail(Code::bad_input, fmt::format("the model of the task '{}' and the names of its items do not "
                                               "belong together: run an exchange",
                                               task));
  }
  SOTTO_TRY(const std::vector<std::string> items, kept.items());
  for (const std::string& item : items)
    if (const auto row = made.row_of(item)) made.seen_.push_back({*row});
  std::ranges::sort(made.seen_);
  SOTTO_TRY_DONE(made.find_own(kept, task));
  return made;
}

Status LocalRecommender::find_own(DeviceStore& kept, const std::string& task) {
  std::optional<Private<RowMatrix>> own;
  if (!model_->task.empty()) {
    v1::TaskSpec spec;
    if (!spec.ParseFromString(model_->task))
      return fail(Code::bad_input, fmt::format("the task '{}' on this device does not decode", task));
    SOTTO_TRY(const Task known, read_task(spec));
    if (known.shape().rows != model_->rows.rows() || known.shape().width != model_->rows.width())
      return fail(Code::bad_input,
                  fmt::format("the model of the task '{}' is not of the task's shape: run an "
                              "exchange",
                              task));
    if (known.model->solved_row != nullptr) {
      SOTTO_TRY(own, known.model->solved_row(known, model_->rows, seen_));
    }
  }
  if (!own) {
    SOTTO_TRY(own, kept.own_row(task));
  }
  if (!own)
    return fail(Code::not_found, fmt::format("this device has not trained for the task '{}' yet: run an "
                                             "exchange first",
                                             task));
  if (own->on_device().width() != model_->rows.width())
    return fail(Code::bad_input,
                fmt::format("the private row is of another width than the model of the task '{}'", task));
  own_ = std::move(*own);
  return Done{};
}

std::vector<float> scores_of(const RowMatrix& rows, const RowMatrix& own) {
  std::vector<float> scores(rows.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r) scores[r] = dot_rows(rows.row(r), own.row(0), rows.stride());
  return scores;
}

std::vector<Recommended> LocalRecommender::top(std::size_t count) const {
  std::vector<Recommended> best;
  for (const ScoredItem& one : top_items(scores_of(model_->rows, own_.on_device()), seen_, count))
    best.push_back({.item = name(one.item.value), .score = one.score});
  return best;
}

Result<Explanation> LocalRecommender::explain(const std::string& item, std::size_t most) const {
  const auto row = row_of(item);
  if (!row) return fail(Code::not_found, "the model knows no item of this name");
  const RowMatrix& rows = model_->rows;
  const std::span<const float> own = own_.on_device().values(0);
  const std::span<const float> vector = rows.values(*row);
  Explanation explanation{.item = item,
                          .score = dot_rows(rows.row(*row), own_.on_device().row(0), rows.stride()),
                          .bias = vector.back(),
                          .personal = static_cast<float>(dot(own, vector)),
                          .has_it = std::ranges::binary_search(seen_, ItemIndex{*row}),
                          .because = {}};
  for (const ItemIndex had : seen_) {
    if (had.value == *row) continue;
    const double likeness = cosine(vector, rows.values(had.value));
    const double weight = likeness * dot(own, rows.values(had.value));
    if (likeness <= 0.0 || weight <= 0.0) continue;  // nothing that speaks for it
    explanation.because.push_back({.item = name(had.value),
                                   .likeness = static_cast<float>(likeness),
                                   .weight = static_cast<float>(weight)});
  }
  std::ranges::stable_sort(explanation.because, std::ranges::greater(), &NearItem::weight);
  if (explanation.because.size() > most) explanation.because.resize(most);
  return explanation;
}

Result<std::string> only_task(DeviceStore& kept) {
  SOTTO_TRY(const std::vector<std::string> tasks, kept.held_tasks());
  if (tasks.empty())
    return fail(Code::not_found, "there is no model on this device yet: run an exchange first");
  if (tasks.size() > 1) {
    std::string names;
    for (const std::string& task : tasks) names += (names.empty() ? "" : ", ") + task;
    return fail(Code::usage, "this device has models of several tasks: name one of " + names);
  }
  return tasks.front();
}

std::string in_words(const Explanation& explanation) {
  std::string text = fmt::format(
      "'{}' has the score {:.3f}: {:+.3f} from what all devices together learned about it, {:+.3f} "
      "from what this device knows of you.\n",
      explanation.item, explanation.score, explanation.bias, explanation.personal);
  if (explanation.has_it) text += "You have it already, so it is not recommended.\n";
  if (explanation.because.empty())
    return text +
           "None of the things you have lies near it: it is there for what everybody likes, or by "
           "chance.\n";
  text += "Of the things you have, these lie nearest to it in the model and weigh most with you:\n";
  for (const NearItem& near : explanation.because)
    text += fmt::format("  {}  (likeness {:.2f}, weight {:.3f})\n", near.item, near.likeness, near.weight);
  return text + "Likeness is the model's, learned from who has what; it is a hint, not a proof of cause.\n";
}

}  // namespace sotto::device
