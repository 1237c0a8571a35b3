// What the factor models of ratings that learn record by record are told; their start, and the order of the
// records, follow from the seed alone. They run on one thread: the next step needs the last one's numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace sotto::model {

struct SgdOptions {
  std::uint32_t factors = 20;
  std::uint32_t epochs = 30;
  float learning_rate = 0.01f;
  float reg = 0.05f;
  std::uint64_t seed = 1;
};

// Fails for 0 factors and for rates that are negative or no numbers.
[[nodiscard]] Status check(const SgdOptions& options);

// Vectors of the same length, one a user or item.
class FactorTable {
 public:
  FactorTable(std::size_t rows, std::size_t width) : width_(width), values_(rows * width, 0.0) {}
  [[nodiscard]] std::size_t rows() const { return width_ == 0 ? 0 : values_.size() / width_; }
  [[nodiscard]] std::span<double> of(std::size_t row) {
    return std::span(values_).subspan(row * width_, width_);
  }
  [[nodiscard]] std::span<const double> of(std::size_t row) const {
    return std::span(values_).subspan(row * width_, width_);
  }

  // Row by row.
  [[nodiscard]] std::span<const double> values() const { return values_; }

 private:
  std::size_t width_;
  std::vector<double> values_;
};

enum class FactorStart : std::uint8_t { users, items, implicit };
// Normal numbers with a standard deviation of 0.1.
[[nodiscard]] FactorTable started_table(std::size_t rows, std::size_t width, std::uint64_t seed,
                                        FactorStart what);
// 0, …, count − 1 in an order of the epoch's own.
[[nodiscard]] std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed, std::uint32_t epoch);

[[nodiscard]] inline double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t f = 0; f < a.size(); ++f) sum += a[f] * b[f];
  return sum;
}

}  // namespace sotto::model
