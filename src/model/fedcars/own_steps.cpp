#include "model/fedcars/own_steps.h"

#include <algorithm>

#include "base/assert.h"

namespace sotto::model {

template <class Real>
void OwnSteps<Real>::look_at(const Real* rows) {
  const std::size_t width = shape_.width(), factors = shape_.factors, count = batch_.examples.size();
  rest_.assign(count * factors, Real{0});
  base_.assign(count, Real{0});
  share_.resize(count);
  auto weights = static_cast<Real>(batch_.prior);
  for (const FmExample& example : batch_.examples) weights += static_cast<Real>(example.weight);
  for (std::size_t n = 0; n < count; ++n) {
    const FmExample& example = batch_.examples[n];
    SOTTO_ASSERT(batch_.features[example.begin].row == 0, "an example begins with the own row");
    share_[n] = static_cast<Real>(example.weight) / weights;
    Real* z = &rest_[n * factors];
    Real squares{0}, score{0};
    for (std::uint32_t f = example.begin + 1; f < example.end; ++f) {
      const Real* row = rows + batch_.features[f].row * width;
      const auto x = static_cast<Real>(batch_.features[f].x);
      for (std::size_t k = 0; k < factors; ++k) {
        const Real part = x * row[k];
        z[k] += part;
        squares += part * part;
      }
      score += x * row[factors];
    }
    Real sum{0};
    for (std::size_t k = 0; k < factors; ++k) sum += z[k] * z[k];
    base_[n] = score + Real{0.5} * (sum - squares);
  }
}

template <class Real>
void OwnSteps<Real>::walk(const FmBatch& examples, std::uint32_t steps, const OwnPull& pull, Real* rows) {
  batch_ = examples;
  look_at(rows);
  const std::size_t width = shape_.width(), factors = shape_.factors, count = batch_.examples.size();
  path_.resize((steps + 1) * width);
  first_.resize(steps * count);
  second_.resize(steps * count);
  Real* own = rows;
  for (std::uint32_t step = 0; step < steps; ++step) {
    Real* const before = &path_[step * width];
    std::copy_n(own, width, before);
    const Real* const home = path_.data();
    work_.assign(width, Real{0});
    for (std::size_t n = 0; n < count; ++n) {
      const Real* z = &rest_[n * factors];
      Real score = base_[n] + before[factors];
      for (std::size_t k = 0; k < factors; ++k) score += before[k] * z[k];
      const FmSlope<Real> slope = slope_of(loss_, score, static_cast<Real>(batch_.examples[n].target));
      first_[step * count + n] = slope.first;
      second_[step * count + n] = slope.second;
      const Real part = share_[n] * slope.first;
      for (std::size_t k = 0; k < factors; ++k) work_[k] += part * z[k];
      work_[factors] += part;
    }
    for (std::size_t k = 0; k < width; ++k)
      own[k] -=
          static_cast<Real>(pull.rate) * (work_[k] + static_cast<Real>(pull.reg) * (before[k] - home[k]));
  }
  path_.resize(steps * width);
}

template <class Real>
void OwnSteps<Real>::step_back(std::size_t step, const OwnPull& pull, Real* slope) {
  const std::size_t width = shape_.width(), factors = shape_.factors, count = batch_.examples.size();
  const Real* const before = &path_[step * width];
  work_.assign(width, Real{0});
  for (std::size_t n = 0; n < count; ++n) {
    const Real* z = &rest_[n * factors];
    Real along = slope[factors];
    for (std::size_t k = 0; k < factors; ++k) along += slope[k] * z[k];
    const Real turn = share_[n] * second_[step * count + n] * along;
    const Real part = share_[n] * first_[step * count + n];
    Real* moved = &moved_[n * factors];
    for (std::size_t k = 0; k < factors; ++k) {
      work_[k] += turn * z[k];
      moved[k] += turn * before[k] + part * slope[k];
    }
    work_[factors] += turn;
    turned_[n] += turn;
  }
  const auto rate = static_cast<Real>(pull.rate), reg = static_cast<Real>(pull.reg);
  for (std::size_t k = 0; k < width; ++k) {
    given_back_[k] += rate * reg * slope[k];  // λ_own (φ − θ): what is taken from φ goes to θ
    slope[k] -= rate * (work_[k] + reg * slope[k]);
  }
}

template <class Real>
void OwnSteps<Real>::spread(Real rate, const Real* rows, Real* slope) const {
  const std::size_t width = shape_.width(), factors = shape_.factors;
  for (std::size_t n = 0; n < batch_.examples.size(); ++n) {
    const Real* z = &rest_[n * factors];
    const Real* moved = &moved_[n * factors];
    for (std::uint32_t f = batch_.examples[n].begin + 1; f < batch_.examples[n].end; ++f) {
      const Real* row = rows + batch_.features[f].row * width;
      Real* out = slope + batch_.features[f].row * width;
      const auto x = static_cast<Real>(batch_.features[f].x);
      for (std::size_t k = 0; k < factors; ++k)
        out[k] -= rate * x * (turned_[n] * (z[k] - x * row[k]) + moved[k]);
      out[factors] -= rate * x * turned_[n];
    }
  }
}

template <class Real>
void OwnSteps<Real>::walk_back(const OwnPull& pull, const Real* rows, Real* slope) {
  const std::size_t width = shape_.width();
  turned_.assign(batch_.examples.size(), Real{0});
  moved_.assign(batch_.examples.size() * shape_.factors, Real{0});
  given_back_.assign(width, Real{0});
  for (std::size_t step = path_.size() / width; step > 0; --step) step_back(step - 1, pull, slope);
  for (std::size_t k = 0; k < width; ++k) slope[k] += given_back_[k];
  spread(static_cast<Real>(pull.rate), rows, slope);
}

template class OwnSteps<float>;
template class OwnSteps<double>;

}  // namespace sotto::model
