// iALS where all data lies in one place: implicit weighted least squares, solved exactly, users and items in
// turn (model/als.h has the loss).
//
// An epoch solves every item from the users, then every user from the new items, so that after it each user's
// row is the exact answer to the item rows. Before the first epoch the users are solved from random items.
// Law: each row's solve stands alone and its sums have a fixed order: the same bytes on any number of
// threads.
#pragma once

#include <cstdint>
#include <memory>

#include "base/executor.h"
#include "base/row_matrix.h"
#include "data/histories.h"
#include "model/als.h"
#include "model/central/neighbors.h"

namespace sotto::model {

class Ials {
 public:
  // `train` must outlive the object. Fails for bad options, or without interactions to learn from.
  [[nodiscard]] static Result<std::unique_ptr<Ials>> start(const Histories& train, std::size_t catalogue,
                                                           const AlsOptions& options);

  // Runs epoch number `epoch` (0, 1, …). The loss is that of the users' systems, per interaction.
  struct Epoch {
    std::uint64_t steps = 0;      // interactions
    std::int64_t loss_units = 0;  // of 2^-20
  };
  [[nodiscard]] Result<Epoch> run_epoch(std::uint32_t epoch, Executor& executor);

  // Goes back to parameters saved after some epoch.
  void restore(RowMatrix users, RowMatrix items);

  [[nodiscard]] const RowMatrix& users() const { return users_; }
  [[nodiscard]] const RowMatrix& items() const { return items_; }

 private:
  Ials(const Histories& train, std::size_t catalogue, const AlsOptions& options);
  // Every row of `rows` from the ones that chosen(row) names on the other side; false without a solution.
  template <class Chosen>
  [[nodiscard]] bool solve_all(const FactorSide& other, std::size_t all, const Chosen& chosen,
                               RowMatrix& rows, Executor& executor, std::int64_t& loss_units) const;
  [[nodiscard]] bool solve_users(Executor& executor, std::int64_t& loss_units);

  AlsOptions options_;
  const Histories& train_;
  Audiences audiences_;
  std::size_t people_ = 0;  // users with training items
  RowMatrix users_;
  RowMatrix items_;
};

}  // namespace sotto::model
