// Inner steps that move the own row alone, without a network on top: the short way of maml.h, and the usual
// one.
//
// What an example says is then linear in the own row [p, b]: r̂ = base + b + p·Z, where Z is the sum of the
// other rows and stays. A step costs one product an example; and on the way back what the steps say about the
// other rows is added up for each example, and spread over its rows once:
//   ∂/∂v_f = x_f (T (Z − x_f v_f) + V),  T = Σ turn_n,  V = Σ (turn_n p_n + slope_n d_n)   over the steps n.
// Law: the outcome is that of the general way, up to rounding. Every example begins with the own row, x = 1.
#pragma once

#include <cstdint>
#include <vector>

#include "model/fedcars/fm_task.h"

namespace sotto::model {

struct OwnPull {
  float rate = 0.0f;  // α
  float reg = 0.0f;   // λ_own
};

// Keeps its memory from call to call.
template <class Real>
class OwnSteps {
 public:
  OwnSteps(const FmShape& shape, FmLoss loss) : shape_(shape), loss_(loss) {}

  // Row 0 of `rows` takes so many steps over the examples, which outlive the walk.
  void walk(const FmBatch& examples, std::uint32_t steps, const OwnPull& pull, Real* rows);
  // Leads the slope at the end of the walk back to its beginning. `rows` are those of the walk; the own one
  // may have moved.
  void walk_back(const OwnPull& pull, const Real* rows, Real* slope);

 private:
  void look_at(const Real* rows);
  void step_back(std::size_t step, const OwnPull& pull, Real* slope);
  void spread(Real rate, const Real* rows, Real* slope) const;

  FmShape shape_;
  FmLoss loss_;
  FmBatch batch_;
  std::vector<Real> rest_, base_, share_;  // of each example: Z, base and its part of the mean
  std::vector<Real> path_;                 // the own row before each step
  std::vector<Real> first_, second_;       // of each step and example: dℓ/dr̂ and d²ℓ/dr̂²
  std::vector<Real> turned_, moved_;       // of each example: T and V
  std::vector<Real> work_, given_back_;
};

extern template class OwnSteps<float>;
extern template class OwnSteps<double>;

}  // namespace sotto::model
