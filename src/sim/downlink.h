// Downlink: how the shared rows of a round come to the devices of a model of model/history_model.h.
//
// Laws: what a device decodes is received(), bit for bit; bytes() is what one device receives.
#pragma once

#include "base/executor.h"
#include "fed/messages.h"
#include "model/als.h"
#include "sim/broadcast.h"

namespace sotto::sim {

template <class Received>
class Downlink;

// The rows and the sum of their products.
template <>
class Downlink<FactorSide> {
 public:
  explicit Downlink(const Plan& /*plan*/) {}

  void prepare(const RowMatrix& shared, Executor& executor) { received_ = FactorSide(shared, executor); }
  [[nodiscard]] const FactorSide& received(const RowMatrix& /*shared*/) const { return received_; }
  void encode(std::uint32_t round, const RowMatrix& shared) {
    rows_ = fed::encode(ModelMessage{.round = round, .shared = shared});
    gram_ = fed::encode(ModelMessage{.round = round, .shared = received_.gram()});
  }
  [[nodiscard]] Result<FactorSide> decoded() const {
    SOTTO_TRY(ModelMessage rows, decode<ModelMessage>(rows_));
    SOTTO_TRY(ModelMessage gram, decode<ModelMessage>(gram_));
    return FactorSide(std::move(rows.shared), std::move(gram.shared));
  }
  [[nodiscard]] std::uint64_t bytes(const RowMatrix& shared) const {
    return encoded_model_bytes(shared.rows(), shared.width()) +
           encoded_model_bytes(received_.factors(), shared.width());
  }

 private:
  FactorSide received_;
  Bytes rows_, gram_;  // wire path
};

// The rows as they are.
template <>
class Downlink<RowMatrix> {
 public:
  explicit Downlink(const Plan& plan) : broadcast_(plan.down) {}

  void prepare(const RowMatrix& shared, Executor& /*executor*/) { broadcast_.restart(shared); }
  [[nodiscard]] const RowMatrix& received(const RowMatrix& shared) const { return broadcast_.sent(shared); }
  void encode(std::uint32_t round, const RowMatrix& shared) { broadcast_.encode(round, shared); }
  [[nodiscard]] Result<RowMatrix> decoded() const { return broadcast_.received(); }
  [[nodiscard]] std::uint64_t bytes(const RowMatrix& shared) const { return broadcast_.bytes_of(shared); }

 private:
  Broadcast broadcast_;
};

}  // namespace sotto::sim
