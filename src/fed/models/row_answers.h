// Answers of models in which a person is a row like an item's: the score is their product, the item's bias
// standing last in its row.
#pragma once

#include "fed/models/task_model.h"

namespace sotto::fed {

[[nodiscard]] std::unique_ptr<TaskAnswers> row_answers(const PersonView& view, Private<RowMatrix> own);

// With the private row that rounds moved.
[[nodiscard]] Result<std::unique_ptr<TaskAnswers>> answers_of_state(const PersonView& view);

// Where no round has moved a private row yet.
[[nodiscard]] Error not_trained_yet(const Task& task);
// Whether rounds have moved a private row of this width.
[[nodiscard]] Status check_own_row(const PersonView& view, std::size_t width);

// Where the person has nothing that the catalogue has.
[[nodiscard]] Error nothing_to_answer_from();

}  // namespace sotto::fed
