// Model-agnostic meta-learning (Finn et al. 2017) on one device: how well the rows serve as a place to start
// from, and which way they should move.
//
// From the rows θ a few inner steps over the support examples lead to Ω; the slope is the gradient of the
// query examples' loss at Ω with respect to θ. First order takes the gradient at Ω as it is; second order
// follows it back through the inner steps, by one product with the curvature each:
//   s ← ∇L_query(Ω);  for the steps from the last to the first: s ← s − α (∂²L_support + λ_own) s.
// Row 0 is the person's own: it starts where everybody's does and is pulled back there by λ_own. The inner
// steps move it alone (`own`: what is adapted is what stays on the device), or all rows (`all`: the paper's
// letter). They go along the support's gradient, as if `prior` records more were there that say nothing: few
// records do not lead far. λ pulls the rows that a query example names towards 0; it is no part of the inner
// steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/fedcars/fm_task.h"
#include "model/fedcars/own_steps.h"

namespace sotto::model {

enum class MamlOrder : std::uint8_t { first, second };
enum class Adapts : std::uint8_t { own, all };
[[nodiscard]] Result<MamlOrder> parse_maml_order(const std::string& text);
[[nodiscard]] const char* to_string(MamlOrder order);
[[nodiscard]] Result<Adapts> parse_adapts(const std::string& text);
[[nodiscard]] const char* to_string(Adapts adapts);

struct MamlOptions {
  std::uint32_t steps = 20;
  float rate = 0.5f;        // α
  float own_reg = 0.03f;    // λ_own
  float prior = 5.0f;       // records: who has few takes short steps, as if so many more said nothing
  float shared_reg = 0.2f;  // λ
  MamlOrder order = MamlOrder::second;
  Adapts adapts = Adapts::own;
};
[[nodiscard]] Status check(const MamlOptions& options);

// Keeps its memory from call to call.
template <class Real>
class Maml {
 public:
  Maml(const FmShape& shape, FmLoss loss, const MamlOptions& options)
      : task_(shape, loss), own_steps_(shape, loss), options_(options) {}

  // The rows after so many inner steps over the support; without examples they stay.
  void adapt(const FmBatch& support, std::vector<Real>& rows) { adapt(support, options_.steps, rows); }
  void adapt(const FmBatch& support, std::uint32_t steps, std::vector<Real>& rows);
  // Puts the slope at `start` into `slope`; returns the query's loss at Ω. The query has an example.
  Real slope(const std::vector<Real>& start, const FmBatch& support, const FmBatch& query,
             std::vector<Real>& slope);

  [[nodiscard]] FmTask<Real>& task() { return task_; }

 private:
  // Whether the steps can go the short way.
  [[nodiscard]] bool is_plain() const { return options_.adapts == Adapts::own && task_.shape().hidden == 0; }
  [[nodiscard]] OwnPull own_pull() const { return {options_.rate, options_.own_reg}; }
  void step(const FmBatch& support, const Real* home, std::vector<Real>& rows);
  void step_back(const FmBatch& support, const std::vector<Real>& rows, std::vector<Real>& slope);
  void add_pull(const std::vector<Real>& start, const FmBatch& query, std::vector<Real>& slope) const;

  FmTask<Real> task_;
  OwnSteps<Real> own_steps_;
  MamlOptions options_;
  std::vector<std::vector<Real>> path_;  // the rows before each inner step
  std::vector<Real> rows_, work_, turned_, given_back_;
};

extern template class Maml<float>;
extern template class Maml<double>;

}  // namespace sotto::model
