// A published matrix of popular items as a run: the lists that devices get of it.
#include <gtest/gtest.h>

#include "engine/models/ease.h"
#include "engine/plan/model_entry.h"
#include "engine/train/released_rows.h"
#include "engine/train/training.h"
#include "fed/models/task_models.h"
#include "fed/models/testing/usual_spec.h"

namespace sotto::engine {
namespace {

// Items 0 to 19 of the task; of the data "19", "18" … "4", in this order, and one that the task does not
// know.
struct TurnedWorld {
  TurnedWorld() {
    for (int item = 0; item < 20; ++item) known.names.intern(std::to_string(item));
    for (int item = 19; item >= 4; --item) split.items.intern(std::to_string(item));
    split.items.intern("new");
    split.catalogue = split.items.size();
    split.users.intern("somebody");
    // Of the task's items 3 and 11 are popular, and 3 is not in the data; 4 is neither.
    split.train = Histories({0, 3}, {here(11), here(4), ItemIndex{16}});
  }
  static ItemIndex here(std::uint32_t item) { return ItemIndex{19 - item}; }

  // A run's scores of every item of the data.
  [[nodiscard]] std::vector<float> scores(const Task& task, const RowMatrix& rows) const {
    const ModelEntry& entry = **find_model("fedease");
    TrainRequest request;
    request.model = ChosenModel(entry);
    SerialExecutor here_alone;
    const Parameters made =
        entry.of_rows({task, rows, known, items_at(known, split)}, request, split, here_alone).value();
    const RowMatrix nobody;
    const auto model = entry.view(request, split, {nobody, made.items, made.layers}, here_alone).value();
    std::vector<float> all(split.catalogue);
    const UserIndex user{0};
    model->score({&user, 1}, {0, static_cast<std::uint32_t>(all.size())}, all);
    return all;
  }

  TaskCatalogue known;
  Split split;
};

TEST(EaseOfPopularItems, ScoresAsDevicesDo) {
  const TurnedWorld world;
  const Task task = *read_task(popular_spec(fedease_task, 5));
  RowMatrix rows(5, 6);
  const float kept[] = {0, 3, 9, 11, 12};
  for (std::size_t n = 0; n < 5; ++n) {
    rows.row(n)[0] = kept[n];
    for (std::size_t k = 0; k < 5; ++k) rows.row(n)[1 + k] = n == k ? 0.0f : static_cast<float>(10 * n + k);
  }
  const Histories history({0, 2}, {ItemIndex{4}, ItemIndex{11}});
  const auto answers = task.model->answers({task, rows, history, nullptr}).value();
  std::vector<float> device(20), wanted(world.split.catalogue, 0.0f);
  answers->score(device);
  for (std::uint32_t item = 4; item < 20; ++item) wanted[TurnedWorld::here(item).value] = device[item];
  EXPECT_GT(device[12], 0.0f);
  EXPECT_EQ(world.scores(task, rows), wanted);
  // Before the first round; and where the data have none of the popular items.
  const std::vector<float> nothing(world.split.catalogue, 0.0f);
  EXPECT_EQ(world.scores(task, RowMatrix(5, 6)), nothing);
  RowMatrix four(4, 5);
  for (std::size_t n = 0; n < 4; ++n) {
    std::copy_n(rows.row(n), 5, four.row(n));
    four.row(n)[0] = static_cast<float>(n);
  }
  EXPECT_EQ(world.scores(*read_task(popular_spec(fedease_task, 4)), four), nothing);
}

}  // namespace
}  // namespace sotto::engine
