#include "model/fedcars/fm_task.h"

#include <type_traits>

namespace sotto::model {

namespace {

template <class Real>
Real exponential(Real x) {
  if constexpr (std::is_same_v<Real, float>)
    return exp_f32(x);
  else
    return std::exp(x);
}

template <class Real>
Real hyperbolic_tangent(Real x) {
  return Real{1} - Real{2} / (exponential(Real{2} * x) + Real{1});
}

// ln(1 + e^x) without overflow; a number for people, not for training.
double softplus(double x) { return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

}  // namespace

template <class Real>
FmSlope<Real> slope_of(FmLoss loss, Real prediction, Real target) {
  if (loss.kind == FmLossKind::squared) {
    const Real error = prediction - target;
    if (loss.bend > 0.0f) {
      const Real scale = static_cast<Real>(loss.bend) * static_cast<Real>(loss.bend);
      const Real root = std::sqrt(Real{1} + error * error / scale);
      return {error / root, Real{1} / (root * root * root), scale * (root - Real{1})};
    }
    return {error, Real{1}, Real{0.5} * error * error};
  }
  const Real chance = Real{1} / (Real{1} + exponential(-prediction));
  const auto score = static_cast<double>(prediction);
  const double lost = softplus(score) - static_cast<double>(target) * score;
  return {chance - target, chance * (Real{1} - chance), static_cast<Real>(lost)};
}

template <class Real>
FmTask<Real>::FmTask(const FmShape& shape, FmLoss loss) : shape_(shape), loss_(loss) {
  for (auto* numbers : {&sum_, &pooled_, &back_, &sum_dot_, &pooled_dot_, &back_dot_})
    numbers->resize(shape.factors);
  for (auto* numbers : {&active_, &active_dot_, &out_dot_}) numbers->resize(shape.hidden);
}

template <class Real>
Real FmTask<Real>::sum_of_weights(const FmBatch& batch) {
  auto sum = static_cast<Real>(batch.prior);
  for (const FmExample& example : batch.examples) sum += static_cast<Real>(example.weight);
  return sum;
}

template <class Real>
Real FmTask<Real>::predict(const Real* rows, std::span<const FmFeature> features) {
  const std::size_t width = shape_.width(), factors = shape_.factors;
  std::fill(sum_.begin(), sum_.end(), Real{0});
  std::fill(pooled_.begin(), pooled_.end(), Real{0});
  Real* const sum = sum_.data();
  Real* const squares = pooled_.data();
  Real score{0};
  for (const FmFeature& feature : features) {
    const Real* row = rows + feature.row * width;
    const auto x = static_cast<Real>(feature.x);
    for (std::size_t k = 0; k < factors; ++k) {
      const Real part = x * row[k];
      sum[k] += part;
      squares[k] += part * part;
    }
    score += x * row[factors];
  }
  for (std::size_t k = 0; k < factors; ++k) {
    pooled_[k] = Real{0.5} * (sum[k] * sum[k] - squares[k]);
    score += pooled_[k];
  }
  for (std::size_t h = 0; h < shape_.hidden; ++h) {
    const Real* w = unit(rows, h);
    Real input = w[factors];
    for (std::size_t k = 0; k < factors; ++k) input += w[k] * pooled_[k];
    active_[h] = hyperbolic_tangent(input);
    score += outputs(rows)[h] * active_[h];
  }
  return score;
}

template <class Real>
void FmTask<Real>::look_back(const Real* rows) {
  std::fill(back_.begin(), back_.end(), Real{1});
  for (std::size_t h = 0; h < shape_.hidden; ++h) {
    out_dot_[h] = outputs(rows)[h] * (Real{1} - active_[h] * active_[h]);
    for (std::size_t k = 0; k < shape_.factors; ++k) back_[k] += out_dot_[h] * unit(rows, h)[k];
  }
}

template <class Real>
void FmTask<Real>::add_network_gradient(Real slope, Real* gradient) {
  for (std::size_t h = 0; h < shape_.hidden; ++h) {
    Real* row = unit(gradient, h);
    const Real into = slope * out_dot_[h];
    for (std::size_t k = 0; k < shape_.factors; ++k) row[k] += into * pooled_[k];
    row[shape_.factors] += into;
    outputs(gradient)[h] += slope * active_[h];
  }
}

template <class Real>
Real FmTask<Real>::add_gradient(const Real* rows, const FmBatch& batch, Real* gradient) {
  const std::size_t width = shape_.width(), factors = shape_.factors;
  const Real weights = sum_of_weights(batch);
  Real loss{0};
  for (const FmExample& example : batch.examples) {
    const std::span features(batch.features + example.begin, example.end - example.begin);
    const Real prediction = predict(rows, features);
    const FmSlope<Real> slope = slope_of(loss_, prediction, static_cast<Real>(example.target));
    const Real share = static_cast<Real>(example.weight) / weights;
    loss += share * slope.loss;
    look_back(rows);
    const Real step = share * slope.first;
    for (const FmFeature& feature : features) {
      const Real* row = rows + feature.row * width;
      Real* out = gradient + feature.row * width;
      const auto x = static_cast<Real>(feature.x);
      for (std::size_t k = 0; k < factors; ++k) out[k] += step * back_[k] * x * (sum_[k] - x * row[k]);
      out[factors] += step * x;
    }
    add_network_gradient(step, gradient);
  }
  return loss;
}

template <class Real>
Real FmTask<Real>::look_along(const Real* rows, const Real* direction, std::span<const FmFeature> features) {
  const std::size_t width = shape_.width(), factors = shape_.factors;
  std::fill(sum_dot_.begin(), sum_dot_.end(), Real{0});
  std::fill(pooled_dot_.begin(), pooled_dot_.end(), Real{0});
  std::fill(back_dot_.begin(), back_dot_.end(), Real{0});
  Real score{0};
  for (const FmFeature& feature : features) {
    const Real* row = rows + feature.row * width;
    const Real* turn = direction + feature.row * width;
    const auto x = static_cast<Real>(feature.x);
    for (std::size_t k = 0; k < factors; ++k) {
      sum_dot_[k] += x * turn[k];
      pooled_dot_[k] += x * turn[k] * (sum_[k] - x * row[k]);
    }
    score += x * turn[factors];
  }
  for (std::size_t k = 0; k < factors; ++k) score += pooled_dot_[k];
  for (std::size_t h = 0; h < shape_.hidden; ++h) {
    const Real* w = unit(rows, h);
    const Real* w_dot = unit(direction, h);
    Real input = w_dot[factors];
    for (std::size_t k = 0; k < factors; ++k) input += w_dot[k] * pooled_[k] + w[k] * pooled_dot_[k];
    const Real bend = Real{1} - active_[h] * active_[h];
    const Real o = outputs(rows)[h], o_dot = outputs(direction)[h];
    active_dot_[h] = bend * input;
    score += o_dot * active_[h] + o * active_dot_[h];
    out_dot_[h] = o_dot * bend - Real{2} * o * active_[h] * active_dot_[h];  // change of o·tanh'
    for (std::size_t k = 0; k < factors; ++k) back_dot_[k] += out_dot_[h] * w[k] + o * bend * w_dot[k];
  }
  return score;
}

template <class Real>
void FmTask<Real>::add_network_curvature(const Real* rows, Real turn, Real slope, Real* product) {
  for (std::size_t h = 0; h < shape_.hidden; ++h) {
    Real* row = unit(product, h);
    const Real through = outputs(rows)[h] * (Real{1} - active_[h] * active_[h]);
    for (std::size_t k = 0; k < shape_.factors; ++k)
      row[k] += turn * through * pooled_[k] + slope * (out_dot_[h] * pooled_[k] + through * pooled_dot_[k]);
    row[shape_.factors] += turn * through + slope * out_dot_[h];
    outputs(product)[h] += turn * active_[h] + slope * active_dot_[h];
  }
}

template <class Real>
void FmTask<Real>::add_curvature(const Real* rows, const Real* direction, const FmBatch& batch,
                                 Real* product) {
  const std::size_t width = shape_.width(), factors = shape_.factors;
  const Real weights = sum_of_weights(batch);
  for (const FmExample& example : batch.examples) {
    const std::span features(batch.features + example.begin, example.end - example.begin);
    const Real prediction = predict(rows, features);
    const FmSlope<Real> slope = slope_of(loss_, prediction, static_cast<Real>(example.target));
    const Real share = static_cast<Real>(example.weight) / weights;
    look_back(rows);
    const Real along = look_along(rows, direction, features);
    const Real turn = share * slope.second * along;
    const Real step = share * slope.first;
    for (const FmFeature& feature : features) {
      const Real* row = rows + feature.row * width;
      const Real* way = direction + feature.row * width;
      Real* out = product + feature.row * width;
      const auto x = static_cast<Real>(feature.x);
      for (std::size_t k = 0; k < factors; ++k) {
        const Real rest = x * (sum_[k] - x * row[k]);
        const Real rest_dot = x * (sum_dot_[k] - x * way[k]);
        out[k] += (turn * back_[k] + step * back_dot_[k]) * rest + step * back_[k] * rest_dot;
      }
      out[factors] += turn * x;
    }
    add_network_curvature(rows, turn, step, product);
  }
}

template FmSlope<float> slope_of(FmLoss, float, float);
template FmSlope<double> slope_of(FmLoss, double, double);
template class FmTask<float>;
template class FmTask<double>;

}  // namespace sotto::model
