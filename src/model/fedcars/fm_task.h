// FmTask: a small learning problem over the rows of a factorisation machine (Rendle 2010), as one device has
// it: examples that name rows, and a loss. Its gradient, and its curvature times a direction, are exact.
//
// A row is [v_1 … v_F, b]. With S = Σ x_f v_f over the example's features and
// B = ½(S∘S − Σ (x_f v_f)∘(x_f v_f)), which holds every product of two features once,
//   r̂ = Σ x_f b_f + Σ_k B_k + Σ_h o_h tanh(w_h·B + c_h);
// the last sum is the optional network of H units (a neural FM, He and Chua 2017): its rows are [w_h, c_h],
// one a unit, then as many as hold o_1 … o_H.
// The loss is the weighted mean over examples of ½(r̂ − y)², or of the logistic loss of y ∈ {0, 1}. With a
// bend δ squared errors are δ²(√(1 + (r̂ − y)²/δ²) − 1): the same for small ones, and large ones count by
// their distance (a pseudo-Huber loss), so that a few odd ratings do not lead everybody's rows. The type of
// numbers is a parameter: devices use float; the tests check the formulas in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/math.h"

namespace sotto::model {

enum class FmLossKind : std::uint8_t { squared, logistic };
struct FmLoss {
  FmLossKind kind = FmLossKind::squared;
  float bend = 0.0f;  // δ of squared errors; 0: none

  static const FmLoss squared, logistic;
};
inline constexpr FmLoss FmLoss::squared{FmLossKind::squared};
inline constexpr FmLoss FmLoss::logistic{FmLossKind::logistic};

struct FmShape {
  std::uint32_t factors = 10;  // F
  std::uint32_t hidden = 0;    // H
  std::uint32_t network = 0;   // the first row of the network

  [[nodiscard]] std::size_t width() const { return std::size_t{factors} + 1; }
  [[nodiscard]] std::size_t network_rows() const { return hidden + (hidden + factors) / width(); }
};

struct FmFeature {
  std::uint32_t row = 0;
  float x = 1.0f;
};

// An example: a stretch of the batch's features, what is to be said, and how much it counts.
struct FmExample {
  std::uint32_t begin = 0, end = 0;
  float target = 0.0f;
  float weight = 1.0f;
};
struct FmBatch {
  const FmFeature* features = nullptr;
  std::span<const FmExample> examples;
  float prior = 0.0f;  // the mean is taken as if so much more weight were there that says nothing
};

template <class Real>
class FmTask {
 public:
  FmTask(const FmShape& shape, FmLoss loss);

  // Rows lie one after the other, width() numbers each.
  [[nodiscard]] Real predict(const Real* rows, std::span<const FmFeature> features);
  // Adds the gradient of the mean loss; returns that loss.
  Real add_gradient(const Real* rows, const FmBatch& batch, Real* gradient);
  // Adds the second derivative of the mean loss times `direction`.
  void add_curvature(const Real* rows, const Real* direction, const FmBatch& batch, Real* product);

  [[nodiscard]] const FmShape& shape() const { return shape_; }

 private:
  [[nodiscard]] static Real sum_of_weights(const FmBatch& batch);
  [[nodiscard]] Real* unit(Real* rows, std::size_t h) const {
    return rows + (shape_.network + h) * shape_.width();
  }
  [[nodiscard]] const Real* unit(const Real* rows, std::size_t h) const {
    return rows + (shape_.network + h) * shape_.width();
  }
  // o_1 … o_H.
  [[nodiscard]] Real* outputs(Real* rows) const { return unit(rows, shape_.hidden); }
  [[nodiscard]] const Real* outputs(const Real* rows) const { return unit(rows, shape_.hidden); }
  // dr̂/dB, and the network's own derivatives, both for what predict() left.
  void look_back(const Real* rows);
  void add_network_gradient(Real slope, Real* gradient);
  // The same along a direction: ṙ, Ṡ, Ḃ and the change of dr̂/dB.
  Real look_along(const Real* rows, const Real* direction, std::span<const FmFeature> features);
  void add_network_curvature(const Real* rows, Real turn, Real slope, Real* product);

  FmShape shape_;
  FmLoss loss_;
  std::vector<Real> sum_, pooled_, back_;              // S, B, dr̂/dB
  std::vector<Real> active_;                           // tanh of each unit
  std::vector<Real> sum_dot_, pooled_dot_, back_dot_;  // along a direction
  std::vector<Real> active_dot_, out_dot_;
};

// dℓ/dr̂ and d²ℓ/dr̂².
template <class Real>
struct FmSlope {
  Real first, second, loss;
};
template <class Real>
[[nodiscard]] FmSlope<Real> slope_of(FmLoss loss, Real prediction, Real target);

extern template class FmTask<float>;
extern template class FmTask<double>;

}  // namespace sotto::model
