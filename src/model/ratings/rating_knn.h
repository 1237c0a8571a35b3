// User-kNN and Item-kNN for ratings: the biases' prediction, corrected by how far the neighbours' ratings lie
// from theirs.
//   users  r̂ = b_ui + Σ_v s_uv (r_vi − b_vi) / Σ_v s_uv over the k people nearest to u among those who rated
//   i items  r̂ = b_ui + Σ_j s_ij (r_uj − b_uj) / Σ_j s_ij over the k items nearest to i among those u rated
// This is CaseRecommender's form, and so the Fed-CARS paper's (with cosine, and biases of λ_u = 15, λ_i = 10;
// its k is the root of the number of rows). The likeness s of two rows with n columns in common is n/(n +
// shrink) times
//   cosine   of the ratings, 0 where there is none
//   pearson  correlation over the columns in common of what the biases leave over
//   jaccard  columns in common over columns in either
// Laws: only a likeness above 0 counts; ties go to the smaller index; the same bytes for any number of
// threads. A row remembers its most_kept nearest others at most (an item counts for those it remembers).
// Without a neighbour (somebody without ratings, an item outside, nobody alike) the prediction is that of the
// biases.
#pragma once

#include <memory>

#include "base/executor.h"
#include "model/central/neighbors.h"
#include "model/ratings/rating_biases.h"
#include "model/ratings/rating_model.h"

namespace sotto::model {

enum class KnnRows : std::uint8_t { users, items };

class RatingKnn final : public RatingModel {
 public:
  static constexpr std::size_t most_kept = 2048;

  [[nodiscard]] static Result<std::unique_ptr<RatingKnn>> fit(const RatingData& data, KnnRows rows,
                                                              const KnnOptions& options, Executor& executor);

  // Of items: the likeness to every item that is remembered, 0 to the others. Of users: fails.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override {
    biases_.add_numbers(hasher);
    neighbors_.add_numbers(hasher);
  }

 private:
  RatingKnn(const RatingData& data, KnnRows rows, const KnnOptions& options, Executor& executor);
  void estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                    std::span<float> out) const override;

  // Somebody, as the model sees them: their bias, their ratings, and those near to them.
  struct Person {
    double bias = 0.0;
    std::span<const Rated> history;
    std::span<const Neighbor> neighbors;
  };
  void estimate_for(const Person& person, std::span<const ItemIndex> items, std::span<float> out) const;
  void correct_by_people(const Person& person, std::span<const ItemIndex> items, std::span<float> out) const;
  void correct_by_items(const Person& person, std::span<const ItemIndex> items, std::span<float> out) const;
  [[nodiscard]] std::vector<Rated> as_row(std::span<const Rated> history, double bias) const;

  KnnRows rows_;
  KnnOptions options_;
  RatingBiases biases_;
  RatedMatrix left_over_;  // by user: r − b
  RatedMatrix lines_;      // the rows that are compared: ratings, or what the biases leave over
  RatedMatrix columns_;    // transposed
  std::vector<double> lengths_;
  NeighborLists neighbors_;
};

}  // namespace sotto::model
