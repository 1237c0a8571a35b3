#include "fed/models/row_answers.h"

#include <fmt/core.h>

#include <cmath>

namespace sotto::fed {

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

class RowAnswers final : public TaskAnswers {
 public:
  RowAnswers(const PersonView& view, Private<RowMatrix> own)
      : shared_(view.shared), history_(view.history), own_(std::move(own)) {}

  void score(std::span<float> out) const override {
    for (std::size_t item = 0; item < out.size(); ++item) out[item] = score_of(item);
  }

  ScoreReasons reasons(ItemIndex item) const override {
    const std::span<const float> own = own_.on_device().values(0);
    const std::span<const float> vector = shared_.values(item.value);
    ScoreReasons made{.score = score_of(item.value), .common = vector.back(), .because = {}};
    for (const ItemIndex had : history_.items()) {
      if (had == item) continue;
      const double likeness = cosine(vector, shared_.values(had.value));
      const double weight = likeness * dot(own, shared_.values(had.value));
      if (likeness <= 0.0 || weight <= 0.0) continue;  // nothing that speaks for it
      made.because.push_back(
          {.item = had, .likeness = static_cast<float>(likeness), .weight = static_cast<float>(weight)});
    }
    return made;
  }

 private:
  [[nodiscard]] float score_of(std::size_t item) const {
    return dot_rows(shared_.row(item), own_.on_device().row(0), shared_.stride());
  }

  const RowMatrix& shared_;
  const Histories& history_;
  Private<RowMatrix> own_;
};

}  // namespace

Error not_trained_yet(const Task& task) {
  return fail(
      Code::not_found,
      fmt::format("this device has not trained for the task '{}' yet: run an exchange first", task.name));
}

Error nothing_to_answer_from() {
  return fail(Code::not_found, "there is nothing on this device that the task's catalogue has: add items");
}

std::unique_ptr<TaskAnswers> row_answers(const PersonView& view, Private<RowMatrix> own) {
  return std::make_unique<RowAnswers>(view, std::move(own));
}

Status check_own_row(const PersonView& view, std::size_t width) {
  if (view.own == nullptr) return not_trained_yet(view.task);
  const RowMatrix& own = view.own->on_device();
  if (own.rows() == 1 && own.width() == width) return Done{};
  return fail(
      Code::bad_input,
      fmt::format("the private row is of another width than the model of the task '{}'", view.task.name));
}

Result<std::unique_ptr<TaskAnswers>> answers_of_state(const PersonView& view) {
  SOTTO_TRY_DONE(check_own_row(view, view.shared.width()));
  return row_answers(view, *view.own);
}

}  // namespace sotto::fed
