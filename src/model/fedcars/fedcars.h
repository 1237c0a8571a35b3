// Fed-CARS (Ali et al. 2021; our reading of it: docs/cars.md): ratings and lists in context, learned
// federatedly by meta-learning, under each person's own protocol.
//
// A record is explained by a factorisation machine over the person's own row, a row common to all, the item's
// row and those of its contexts; a second half of each row explains in the same way what people choose at
// all, from the item and the person alone. Everybody's own row starts as one shared row and is adapted on the
// device, from its own records, whenever it is needed: nothing of a person lasts but their history.
//
// A visit draws which of the records that may leave are support and which query, and answers with
// |D_i| · slope of each row (model/fedcars/maml.h) and with |D_i|; the server moves the rows along
// Σ |D_i| slope_i / Σ |D_i|, which is eq. 7 with the weights of eq. 3. Records that consent keeps back are in
// no part of the episode that is sent. The first round that
// somebody answers counts instead (popularity_start).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/fedcars/fedcars_devices.h"
#include "model/fedcars/fedcars_options.h"
#include "model/history_model.h"

namespace sotto::model {

class Fedcars {
 public:
  static constexpr const char* title = "Fed-CARS";
  using Received = RowMatrix;

  Fedcars(const FedcarsOptions& options, std::shared_ptr<const FedcarsDevices> devices)
      : options_(options), layout_(devices->layout()), devices_(std::move(devices)) {}
  // As a server knows it, which has no devices.
  Fedcars(const FedcarsOptions& options, const FedcarsLayout& layout) : options_(options), layout_(layout) {}

  [[nodiscard]] std::size_t shared_rows() const { return layout().rows(); }
  [[nodiscard]] std::size_t shared_width() const { return layout().width(); }
  [[nodiscard]] std::size_t sum_rows() const { return shared_rows(); }
  [[nodiscard]] std::size_t sum_width() const { return shared_width(); }
  // A device keeps its history and nothing else; a row has at least one number.
  [[nodiscard]] std::size_t private_width() const { return 1; }
  [[nodiscard]] RowMatrix start_shared() const;
  [[nodiscard]] RowMatrix start_memory() const {
    return start_moments(options_.server, shared_rows(), shared_width());
  }
  void start_private(UserIndex /*user*/, float* /*own*/) const {}
  [[nodiscard]] const FedcarsOptions& options() const { return options_; }
  [[nodiscard]] const FedcarsDevices& devices() const { return *devices_; }
  [[nodiscard]] const FedcarsLayout& layout() const { return layout_; }
  // Whether a round with these shared rows counts instead of learning: the first that somebody answers.
  [[nodiscard]] bool counts_in(const RowMatrix& shared) const {
    return options_.popularity_start && !(shared.row(layout().tally_row())[0] > 0.0f);
  }

  class Device;
  class Server;

 private:
  FedcarsOptions options_;
  FedcarsLayout layout_;
  std::shared_ptr<const FedcarsDevices> devices_;
};

}  // namespace sotto::model

#include "model/fedcars/fedcars_fit.h"     // IWYU pragma: keep
#include "model/fedcars/fedcars_server.h"  // IWYU pragma: keep
