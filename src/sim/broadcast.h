// Broadcast: the shared model of a round as its devices receive it, in the plan's precision.
//
// Laws: received() is sent(), bit for bit; sent() is what fed/wire/published_model.h makes of the master,
// kept row by row as the master moves.
#pragma once

#include <cstdint>

#include "base/codec.h"
#include "base/result.h"
#include "base/row_matrix.h"
#include "fed/plan.h"

namespace sotto::sim {

class Broadcast {
 public:
  explicit Broadcast(ModelPrecision precision) : precision_(precision) {}

  // `master` is another one from now on.
  void restart(const RowMatrix& master);
  // One of its rows moved.
  void refresh(std::uint32_t row, const RowMatrix& master) {
    if (precision_ != ModelPrecision::f32) round_row(row, master);
  }
  [[nodiscard]] const RowMatrix& sent(const RowMatrix& master) const {
    return precision_ == ModelPrecision::f32 ? master : rounded_;
  }

  // As bytes, and as a device reads them.
  void encode(std::uint32_t round, const RowMatrix& master);
  [[nodiscard]] Result<RowMatrix> received() const;
  // What one device receives of such a model.
  [[nodiscard]] std::uint64_t bytes_of(const RowMatrix& master) const;

 private:
  void round_row(std::uint32_t row, const RowMatrix& master);

  ModelPrecision precision_;
  RowMatrix rounded_;  // nothing where the model goes in full
  Bytes bytes_;
};

}  // namespace sotto::sim
