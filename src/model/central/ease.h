// EASE (Steck 2019): G = XᵀX + λI, P = G⁻¹, B = −P / diag P with a zero diagonal; the score of item j for
// somebody with the items x is Σ_{i∈x} w_i B_ij, summed in the order of x, with w the recency of i
// (data/recency.h). Solved in doubles (base/dense.h), kept in floats: at λ = 1 float's rounding would already
// show in the third digit.
//
// Laws: the model is a function of the pair counts alone: the same counts, from histories or from a
// federation's sum, give the same floats; so do any number of threads. Where a catalogue is too large for one
// dense matrix, the items that fewest people have are left out of it and score 0.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/dense.h"
#include "base/row_matrix.h"
#include "data/recency.h"
#include "model/central/neighbors.h"
#include "model/named_numbers.h"
#include "model/pair_counts.h"
#include "model/recommender.h"

namespace sotto::model {

inline constexpr std::size_t usual_dense_items = 8192;  // 0.7 GB while it is solved

struct EaseOptions {
  float lambda = 300.0f;
  std::size_t most_items = usual_dense_items;  // of the dense matrix
  float recency = 0.0f;                        // half-life, when scoring
};
[[nodiscard]] Status check(const EaseOptions& options);

// A Gram matrix (its lower triangle) of some of the catalogue's items, ascending.
struct ItemGram {
  SymmetricMatrix gram;
  std::vector<std::uint32_t> items;
  std::string statistics = {};  // names the integers it was made of; empty: they are the matrix's own
};

class Ease final : public Recommender, public NamedNumbers {
 public:
  // `train` is whom it is asked about; the model learns from `pairs` alone.
  [[nodiscard]] static Result<std::unique_ptr<Ease>> solve(const PairCounts& pairs, const Histories& train,
                                                           const EaseOptions& options, Executor& executor);
  // The same from the histories' own pairs, counted faster. The catalogue has at most most_items items.
  [[nodiscard]] static Result<std::unique_ptr<Ease>> fit(const Histories& train, std::size_t catalogue,
                                                         const EaseOptions& options, Executor& executor);

  // The same from a matrix that was made elsewhere.
  [[nodiscard]] static Result<std::unique_ptr<Ease>> solve(ItemGram released, std::size_t catalogue,
                                                           const Histories& train, const EaseOptions& options,
                                                           Executor& executor);
  // B itself, as a server published it: a row for each of the items, which ascend, with a weight for each of
  // them, and whatever stands in front. Nothing is solved.
  [[nodiscard]] static std::unique_ptr<Ease> of_rows(const RowMatrix& rows, std::vector<std::uint32_t> items,
                                                     std::size_t catalogue, const Histories& train,
                                                     float recency);

  [[nodiscard]] std::size_t catalogue() const override { return catalogue_; }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  [[nodiscard]] bool sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // The item's row of B: what having it speaks for.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override;

  // The items of the dense matrix, ascending.
  [[nodiscard]] std::span<const std::uint32_t> solved() const { return solved_; }

 private:
  // A history as rows of the matrix; without weights each counts 1.
  struct Rows {
    std::vector<std::uint32_t> places;
    std::vector<float> weights;
  };

  Ease(const Histories& train, std::size_t catalogue, std::vector<std::uint32_t> solved, float recency);
  [[nodiscard]] Status solve_from(SymmetricMatrix gram, float lambda, Executor& executor);
  void take_rows(const SymmetricMatrix& inverse, std::span<const double> scale, std::size_t shard);
  // Adds the rows of a history's items; those outside the matrix have none.
  void add_rows(std::span<const ItemIndex> history, std::span<const std::uint16_t> ages, Rows& rows) const;
  void score_rows(const Rows& rows, ItemRange items, float* out) const;
  void sum_panel(std::size_t panel, const Rows& rows, std::size_t begin, std::size_t end, float* sums) const;
  [[nodiscard]] const float* panel(std::size_t n) const;

  Histories train_;
  std::size_t catalogue_;
  std::vector<std::uint32_t> solved_;
  Recency recency_;
  AlignedBuffer<float> panels_;  // B in panels of 64 columns
  std::string statistics_;       // names the integers and the λ that B was solved from
};

// XᵀX's lower triangle. Popular users' rows are compared as bits.
[[nodiscard]] SymmetricMatrix count_all_pairs(const Histories& histories, const Audiences& audiences,
                                              Executor& executor);

}  // namespace sotto::model
