// Facts of a model that others decide by: what leaves a device, whether the seed matters, who may be asked,
// and the shapes of its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "base/row_matrix.h"
#include "data/split.h"
#include "fed/plan.h"
#include "model/central/dense_layers.h"

namespace sotto::engine {

// What leaves a device in a round.
enum class Sends : std::uint8_t {
  nothing,         // a central model: the data lies in one place
  item_steps,      // steps of the items' rows, for the items of a few triples
  item_gradients,  // a step of every item's row
  item_sums,       // sums over the whole history, in rows of items
  shared_steps,    // steps of rows that are no item's
  shared_sums,     // sums over the whole history, in such rows
  network,         // how the whole network moved
  pair_counts,     // which items stand together in the history, once
};

[[nodiscard]] const char* to_string(Sends sends);  // "pair counts"

// Whether the seed decides anything of a model, or of what is sent.
enum class Draws : std::uint8_t {
  always,
  never,
  if_protected,  // where consent, sums, noise or criteria draw something
};

struct Parameters;    // engine/train/training.h
struct ReleasedRows;  // engine/train/released_rows.h
struct TrainRequest;
// What a run holds of a version that a coordinator released.
using OfRows = Result<Parameters>(const ReleasedRows&, const TrainRequest&, const Split&, Executor&);

// The rows of a trained model, which live elsewhere.
struct RowsView {
  const RowMatrix& users;  // private
  const RowMatrix& items;  // shared
  const std::vector<RowMatrix>& layers;
};

// Who may be asked, and when.
struct Population {
  std::vector<UserIndex> users;
  Schedule schedule;
};

struct RowShapes {
  MatrixShape items, users;  // {}: none
  std::vector<MatrixShape> layers = {};
};

}  // namespace sotto::engine
