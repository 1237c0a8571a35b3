// For tests: a recommender that is a table of scores, one row a person, such as what devices answer.
#pragma once

#include <algorithm>
#include <vector>

#include "fed/models/task_model.h"
#include "model/recommender.h"

namespace sotto::fed {

class KnownScores final : public Recommender {
 public:
  explicit KnownScores(std::vector<std::vector<float>> rows) : rows_(std::move(rows)) {}

  std::size_t catalogue() const override { return rows_.front().size(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override {
    for (std::size_t k = 0; k < users.size(); ++k)
      std::copy_n(rows_[users[k].value].begin() + items.begin, items.size(), out.data() + k * items.size());
  }
  void score_history(std::span<const ItemIndex>, std::span<float> out) const override {
    std::ranges::fill(out, 0.0f);
  }
  Status similar(ItemIndex, std::span<float>) const override { return Done{}; }

 private:
  std::vector<std::vector<float>> rows_;
};

// What a device answers whose person has these items.
inline std::vector<float> answered_scores(const Task& task, const RowMatrix& shared,
                                          const std::vector<ItemIndex>& items,
                                          const Private<RowMatrix>* own = nullptr,
                                          std::vector<std::uint16_t> ages = {}) {
  const Histories history({0, items.size()}, items, std::move(ages));
  std::vector<float> scores(task.items);
  const auto answers = task.model->answers({task, shared, history, own});
  if (answers.ok()) (*answers)->score(scores);
  return scores;
}

}  // namespace sotto::fed
