#include "privacy/audit/unmixing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto::privacy {

namespace {

constexpr double ridge = 1.0;
constexpr int most_steps = 40;
constexpr double small_enough = 1e-6;  // of the first residual

// The features that say most, ascending.
std::vector<std::uint32_t> strongest(std::span<const float> said, std::size_t most) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t f = 0; f < said.size(); ++f)
    if (said[f] != 0.0f) chosen.push_back(f);
  if (chosen.size() > most) {
    const auto stronger = [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(-std::abs(said[a]), a) < std::pair(-std::abs(said[b]), b);
    };
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(most), chosen.end(),
                     stronger);
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
  }
  return chosen;
}

// X: one row a chosen feature, one column an item; a row's numbers are 1/√n where the feature has n items, so
// that all features count alike.
class Mixture {
 public:
  Mixture(const ItemFeatures& features, std::vector<std::uint32_t> rows)
      : features_(features), rows_(std::move(rows)) {}

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] std::uint32_t feature(std::size_t row) const { return rows_[row]; }
  [[nodiscard]] double weight(std::size_t row) const {
    return 1.0 / std::sqrt(static_cast<double>(features_.items_with({rows_[row]}).size()));
  }
  // Xᵀ·rows
  [[nodiscard]] std::vector<double> to_items(std::span<const double> by_row) const {
    std::vector<double> items(features_.items(), 0.0);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double value = weight(row) * by_row[row];
      for (const ItemIndex item : features_.items_with({rows_[row]})) items[item.value] += value;
    }
    return items;
  }
  // (X·Xᵀ + ridge)·rows
  [[nodiscard]] std::vector<double> applied(std::span<const double> by_row) const {
    const std::vector<double> items = to_items(by_row);
    std::vector<double> out(rows_.size());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      double sum = 0.0;
      for (const ItemIndex item : features_.items_with({rows_[row]})) sum += items[item.value];
      out[row] = weight(row) * sum + ridge * by_row[row];
    }
    return out;
  }

 private:
  const ItemFeatures& features_;
  std::vector<std::uint32_t> rows_;
};

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Conjugate gradients: only products with X are needed, and X is sparse.
std::vector<double> solved(const Mixture& mixture, std::vector<double> residual) {
  std::vector<double> answer(residual.size(), 0.0), direction = residual;
  double length = dot(residual, residual);
  const double enough = length * small_enough * small_enough;
  for (int step = 0; step < most_steps && length > enough; ++step) {
    const std::vector<double> image = mixture.applied(direction);
    const double stride = length / dot(direction, image);
    for (std::size_t n = 0; n < answer.size(); ++n) {
      answer[n] += stride * direction[n];
      residual[n] -= stride * image[n];
    }
    const double rest = dot(residual, residual);
    for (std::size_t n = 0; n < answer.size(); ++n) direction[n] = residual[n] + rest / length * direction[n];
    length = rest;
  }
  return answer;
}

}  // namespace

std::vector<float> unmixed(const ItemFeatures& features, std::span<const float> said,
                           std::size_t most_features) {
  const Mixture mixture(features, strongest(said, most_features));
  std::vector<double> explained(mixture.rows());
  for (std::size_t row = 0; row < explained.size(); ++row)
    explained[row] = mixture.weight(row) * double{said[mixture.feature(row)]};
  const std::vector<double> items = mixture.to_items(solved(mixture, std::move(explained)));
  return {items.begin(), items.end()};
}

}  // namespace sotto::privacy
