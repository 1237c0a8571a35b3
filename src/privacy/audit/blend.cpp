#include "privacy/audit/blend.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "metrics/statistics.h"
#include "privacy/audit/leak_figures.h"

namespace sotto::privacy {

namespace {

constexpr int newton_steps = 12;
constexpr double blend_ridge = 1.0;  // keeps weights finite where evidence tells all
constexpr double needed_errors = 2.0;

// Gradient and curvature of the logistic loss at some weights.
struct Slope {
  explicit Slope(std::size_t n) : size(n), gradient(n, 0.0), curvature(n * n, 0.0) {}
  std::size_t size;
  std::vector<double> gradient;
  std::vector<double> curvature;
};

double linear(std::span<const double> weights, std::span<const std::vector<float>> columns,
              std::size_t item) {
  double sum = weights.back();
  for (std::size_t k = 0; k < columns.size(); ++k) sum += weights[k] * double{columns[k][item]};
  return sum;
}

void add_case(const BlendCase& known, std::span<const double> weights, Slope& slope) {
  std::vector<double> x(slope.size, 1.0);
  std::size_t next = 0;
  for (std::uint32_t item = 0; item < known.columns.front().size(); ++item) {
    const bool own = next < known.history.size() && known.history[next].value == item;
    next += own ? 1 : 0;
    for (std::size_t k = 0; k < known.columns.size(); ++k) x[k] = double{known.columns[k][item]};
    const double chance = 1.0 / (1.0 + std::exp(-linear(weights, known.columns, item)));
    for (std::size_t a = 0; a < slope.size; ++a) {
      slope.gradient[a] += (chance - (own ? 1.0 : 0.0)) * x[a];
      for (std::size_t b = 0; b <= a; ++b)
        slope.curvature[a * slope.size + b] += chance * (1.0 - chance) * x[a] * x[b];
    }
  }
}

// Solves curvature · step = gradient by Cholesky's method, in place; returns the step.
std::vector<double> newton_step(Slope& slope) {
  const std::size_t n = slope.size;
  std::vector<double>& l = slope.curvature;
  std::vector<double>& g = slope.gradient;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = l[a * n + b];
      for (std::size_t k = 0; k < b; ++k) sum -= l[a * n + k] * l[b * n + k];
      l[a * n + b] = a == b ? std::sqrt(std::max(sum, 1e-12)) : sum / l[b * n + b];
    }
    for (std::size_t k = 0; k < a; ++k) g[a] -= l[a * n + k] * g[k];
    g[a] /= l[a * n + a];
  }
  for (std::size_t a = n; a-- > 0;) {
    for (std::size_t k = a + 1; k < n; ++k) g[a] -= l[k * n + a] * g[k];
    g[a] /= l[a * n + a];
  }
  return g;
}

}  // namespace

Blend Blend::learn(std::span<const BlendCase> known) {
  SOTTO_ASSERT(!known.empty(), "somebody is known");
  const std::size_t size = known.front().columns.size() + 1;
  Blend blend;
  blend.weights_.assign(size, 0.0);
  for (int step = 0; step < newton_steps; ++step) {
    Slope slope(size);
    for (std::size_t a = 0; a + 1 < size; ++a) {
      slope.gradient[a] = blend_ridge * blend.weights_[a];
      slope.curvature[a * size + a] = blend_ridge;
    }
    for (const BlendCase& one : known) add_case(one, blend.weights_, slope);
    const std::vector<double> change = newton_step(slope);
    for (std::size_t a = 0; a < size; ++a) blend.weights_[a] -= std::clamp(change[a], -4.0, 4.0);
  }
  blend.uses_evidence_ = true;
  std::vector<double> gains;
  for (const BlendCase& one : known)
    gains.push_back(judge_ranking(blend.score(one.columns), one.history).auc -
                    judge_ranking(one.columns.front(), one.history).auc);
  const Spread spread = spread_of(gains);
  blend.uses_evidence_ = gains.size() > 1 && spread.mean > needed_errors * spread.sd /
                                                               std::sqrt(static_cast<double>(gains.size()));
  return blend;
}

std::vector<float> Blend::score(std::span<const std::vector<float>> columns) const {
  if (!uses_evidence_) return columns.front();
  std::vector<float> scores(columns.front().size());
  for (std::size_t item = 0; item < scores.size(); ++item)
    scores[item] = static_cast<float>(linear(weights_, columns, item));
  return scores;
}

std::vector<float> standardised(std::vector<float> evidence) {
  double mean = 0.0, square = 0.0;
  for (const float value : evidence) mean += double{value} / static_cast<double>(evidence.size());
  for (const float value : evidence) square += (double{value} - mean) * (double{value} - mean);
  const double sd = std::sqrt(square / static_cast<double>(evidence.size()));
  for (float& value : evidence) value = sd > 0.0 ? static_cast<float>((double{value} - mean) / sd) : 0.0f;
  return evidence;
}

std::vector<float> log_votes(std::vector<float> votes) {
  for (float& value : votes) value = std::log(0.02f + value);
  return standardised(std::move(votes));
}

}  // namespace sotto::privacy
