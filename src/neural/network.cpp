#include "neural/network.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto::neural {

namespace {

constexpr std::size_t floats_a_piece = 65536;
constexpr float decay_first = 0.9f, decay_second = 0.999f, epsilon = 1e-8f;

}  // namespace

Network::Network(const std::vector<MatrixShape>& shapes, Moments moments) {
  for (const MatrixShape& shape : shapes) {
    for (std::vector<RowMatrix>* part : {&values_, &gradients_}) part->emplace_back(shape.rows, shape.width);
    if (moments == Moments::kept)
      for (std::vector<RowMatrix>* part : {&first_, &second_}) part->emplace_back(shape.rows, shape.width);
  }
  for (std::size_t n = 0; n < values_.size(); ++n) {
    const std::size_t rows =
        std::max<std::size_t>(1, floats_a_piece / std::max<std::size_t>(1, values_[n].stride()));
    for (std::size_t begin = 0; begin < values_[n].rows(); begin += rows)
      pieces_.push_back({n, begin, std::min(begin + rows, values_[n].rows())});
  }
}

void Network::step(std::uint64_t number, const AdamOptions& options, Executor& executor) {
  const auto steps = static_cast<double>(number);
  const double unbiased_first = 1.0 - std::pow(static_cast<double>(decay_first), steps);
  const double unbiased_second = 1.0 - std::pow(static_cast<double>(decay_second), steps);
  const auto rate = static_cast<float>(static_cast<double>(options.learning_rate) *
                                       std::sqrt(unbiased_second) / unbiased_first);
  const float l2 = options.l2;
  executor.run(pieces_.size(), [&](std::size_t shard) {
    const Piece& piece = pieces_[shard];
    const std::size_t stride = values_[piece.matrix].stride();
    const std::size_t count = (piece.end - piece.begin) * stride;
    float* __restrict w = values_[piece.matrix].row(piece.begin);
    const float* __restrict g = gradients_[piece.matrix].row(piece.begin);
    float* __restrict m = first_[piece.matrix].row(piece.begin);
    float* __restrict v = second_[piece.matrix].row(piece.begin);
    for (std::size_t k = 0; k < count; ++k) {
      const float slope = g[k] + l2 * w[k];
      m[k] = decay_first * m[k] + (1.0f - decay_first) * slope;
      v[k] = decay_second * v[k] + (1.0f - decay_second) * slope * slope;
      w[k] -= rate * m[k] / (std::sqrt(v[k]) + epsilon);
    }
  });
}

std::vector<RowMatrix> Network::values_from(std::size_t first) const {
  return {values_.begin() + static_cast<std::ptrdiff_t>(first), values_.end()};
}

std::vector<RowMatrix> Network::moments() const {
  std::vector<RowMatrix> all = first_;
  all.insert(all.end(), second_.begin(), second_.end());
  return all;
}

bool Network::restore(std::vector<RowMatrix> all) {
  const std::size_t count = values_.size();
  if (all.size() != 3 * count) return false;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (shape_of(all[n]) != shape_of(values_[n % count])) return false;
  for (std::size_t n = 0; n < count; ++n) {
    // The memory stays where it is: tensors look at it.
    values_[n].take_values(all[n]);
    first_[n].take_values(all[count + n]);
    second_[n].take_values(all[2 * count + n]);
  }
  return true;
}

}  // namespace sotto::neural
