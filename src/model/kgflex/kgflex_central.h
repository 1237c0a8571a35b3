// KGFlex where all data lies in one place: the same model and the same gradients, one pair after the other,
// each moving the personal and the shared rows at once. An epoch draws as many pairs as there are training
// interactions: an interaction, then an item that its person does not have.
#pragma once

#include <cstdint>
#include <memory>

#include "base/executor.h"
#include "base/result.h"
#include "model/kgflex/kgflex.h"

namespace sotto::model {

class KgflexCentral {
 public:
  struct Epoch {
    std::uint64_t steps = 0;  // pairs that had a feature in common with their person
    std::int64_t loss_units = 0;
  };

  explicit KgflexCentral(Kgflex model);

  // Epoch number `epoch`, from 0 up.
  [[nodiscard]] Result<Epoch> run_epoch(std::uint32_t epoch, Executor& executor);

  [[nodiscard]] const Kgflex& model() const { return model_; }
  [[nodiscard]] const RowMatrix& users() const { return users_; }
  [[nodiscard]] const RowMatrix& items() const { return features_; }
  void restore(RowMatrix users, RowMatrix features) {
    users_ = std::move(users);
    features_ = std::move(features);
  }

 private:
  Kgflex model_;
  RowMatrix users_, features_;
};

}  // namespace sotto::model
